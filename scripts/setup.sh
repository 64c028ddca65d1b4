#!/bin/sh
# Installs the locked dependencies when they are absent or older than the lockfile. Every npm script that runs code calls
# it first, so that a fresh clone needs no other step. It runs under whatever Node the system has.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "sens: installing dependencies (once)" >&2
  npm ci --no-audit --no-fund --loglevel=error >/dev/null
  touch node_modules/.package-lock.json
fi
# What npm scripts will find: the Node that the devDependency "node" brings, or else the system's.
PATH="$PWD/node_modules/.bin:$PATH"
if ! node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 18) ? 0 : 1)'; then
  echo "sens: needs Node 22.18 or newer, this is $(node -v). The devDependency \"node\" brings Node 24, but its install script" >&2
  echo "sens: was not run. Allow it: npm rebuild node --ignore-scripts=false   (or install a newer Node)" >&2
  exit 1
fi
