# A status line in the shape of published ones: where the session works, and on what screen.
import json
import os
import sys

facts = json.load(sys.stdin)
workspace = facts["workspace"]
repo = workspace["repo"]
lead = "before" if facts["context_window"]["current_usage"] is None else "after"
assert facts["cwd"] == workspace["current_dir"] and facts["session_id"]
print(
    f"{lead} {os.path.basename(workspace['current_dir'])} in {workspace['project_dir']} +{workspace['added_dirs']} "
    f"of {repo['host']} {repo['owner']}/{repo['name']}, v{facts['version']}, "
    f"{os.environ['COLUMNS']}x{os.environ['LINES']}, {facts['transcript_path']}"
)
