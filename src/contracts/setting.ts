/** When a key of a project's own file takes effect. An absent policy means never. */
export type ProjectPolicy =
  /** At once, because the key can only restrict. */
  | "now"
  /** At once, but only with this value, which restricts. */
  | { readonly only: unknown }
  /**
   * After the person trusts the folder. The text is the effect for the trust question: `{}` stands for the value, `{name}`
   * for the key's own name. Each item of a list is judged for itself.
   */
  | {
      readonly trusted: string | { readonly true: string; readonly false: string };
      /** Values that no project may set. */
      readonly never?: readonly unknown[];
      /** Names of variables that no project may set, described for the reference page. */
      readonly neverNames?: string;
    }
  /** At once in the settings; whoever uses the key asks for an approval. The text is for the reference page. */
  | { readonly approved: string };

/** How the values of several files become one. */
export type MergeWay =
  /** The value of the highest file. The default, but for lists, objects and maps. */
  | "highest"
  /** The items of all files, each once. The default for lists. */
  | "joined"
  /** The lowest number of all files. */
  | "lowest"
  /** Not merged: whoever uses the key reads the value of each file. */
  | "apart";

/** The rules of a key, apart from the form of its value. */
type SettingRules = {
  /** The meaning, for the reference page, `/config` and the JSON Schema. */
  readonly about?: string;
  readonly project?: ProjectPolicy;
  readonly merge?: MergeWay;
  /**
   * True if a running session takes a change at once. `yours`: only of the person's files, because a project's value waits
   * for an approval. Absent: the change takes effect at the next start.
   */
  readonly live?: true | "yours" | { readonly except: readonly string[] };
  /** Safe mode does not read the key, leaves out its value, or leaves out all but these values. */
  readonly safe?: "unread" | "off" | { readonly only: readonly unknown[] };
  /** The only file that may set the key: the administrator's, or the person's own for a project. */
  readonly layer?: "managed" | "own";
  /** The name of the form's definition in the JSON Schema, which then has the definition once. */
  readonly id?: string;
  /** Another key of the same object: a value of that key drops the value of this key in lower files. */
  readonly belongsTo?: string;
};

type Form =
  /** A url begins with http: or https:. */
  | { readonly type: "boolean" | "anything" | "url" }
  /** A path is a text that a merge makes absolute. */
  | {
      readonly type: "text" | "path";
      readonly min?: number;
      readonly max?: number;
      readonly pattern?: RegExp;
    }
  | {
      readonly type: "integer" | "number";
      readonly min?: number;
      readonly max?: number;
      /** The value must be larger. */
      readonly above?: number;
    }
  | { readonly type: "choice"; readonly values: readonly string[] }
  | { readonly type: "list"; readonly of: Setting; readonly min?: number }
  /** Any names, with values of one form. */
  | { readonly type: "map"; readonly of: Setting }
  | { readonly type: "either"; readonly of: readonly Setting[] }
  | ObjectForm;

type ObjectForm = {
  readonly type: "object";
  readonly keys: Readonly<Record<string, Setting & { readonly required?: true }>>;
  /** The form of the values of all other names. If absent, other names are unknown keys. */
  readonly others?: Setting;
  /** True if an unknown key is an error. */
  readonly isStrict?: true;
  /** Finds what no form can express. */
  readonly check?: (value: never) => Misfit | undefined;
};

/** A key of the settings as plain data: the form of its value, and its rules. */
export type Setting = Form & SettingRules;
export type ObjectSetting = ObjectForm & SettingRules;

/** A part of a value that does not fit: its place, and the words for what is expected there. */
export type Misfit = { readonly path: readonly (string | number)[]; readonly expected: string };

/** The type of the values of a form. */
export type ValueOf<Form> = Form extends { readonly type: "boolean" }
  ? boolean
  : Form extends { readonly type: "text" | "path" | "url" }
    ? string
    : Form extends { readonly type: "integer" | "number" }
      ? number
      : Form extends { readonly type: "choice"; readonly values: readonly (infer Value)[] }
        ? Value
        : Form extends { readonly type: "list"; readonly of: infer Item }
          ? readonly ValueOf<Item>[]
          : Form extends { readonly type: "map"; readonly of: infer Item }
            ? Readonly<Record<string, ValueOf<Item>>>
            : Form extends { readonly type: "either"; readonly of: readonly (infer Option)[] }
              ? ValueOf<Option>
              : Form extends { readonly type: "object"; readonly keys: infer Keys }
                ? KeysOf<Keys> & OthersOf<Form, Keys>
                : unknown;

type RequiredNames<Keys> = {
  [Name in keyof Keys]: Keys[Name] extends { readonly required: true } ? Name : never;
}[keyof Keys];

type KeysOf<Keys> = { readonly [Name in RequiredNames<Keys>]: ValueOf<Keys[Name]> } & {
  readonly [Name in Exclude<keyof Keys, RequiredNames<Keys>>]?: ValueOf<Keys[Name]> | undefined;
};

type OthersOf<Form, Keys> = Form extends { readonly others: infer Others }
  ? { readonly [name: string]: ValueOf<Others> | ValueOf<Keys[keyof Keys]> | undefined }
  : unknown;
