// Builds the package before it is installed from this folder. For a project outside of it npm links the folder as it is,
// without what the build needs: that is installed first, beside the sources.

import { execSync } from "node:child_process";
import { createRequire } from "node:module";

const run = (command, stdio = "inherit") => execSync(command, { stdio });

function hasWhatBuildsIt() {
  try {
    createRequire(import.meta.url).resolve("@types/node/package.json");
    run("tsc --version", "ignore");
    return true;
  } catch {
    return false;
  }
}

if (!hasWhatBuildsIt()) run("npm install --ignore-scripts --include=dev --no-audit --no-fund --no-package-lock --prefix .");
run("npm run build");
