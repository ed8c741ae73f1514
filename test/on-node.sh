#!/bin/sh
# Runs the tests on another version of Node, which comes from npm with its headers, in a copy of this folder: `sh test/on-node.sh 24`.
# Further arguments are vitest's. BINDING=none leaves better-sqlite3's binding out, so that node:sqlite is used.
set -eu
version=$1
shift
source=$(pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
npm install --silent --no-save --prefix "$copy/runtime" "node@$version"
runtime=$(dirname "$(dirname "$(find "$copy/runtime" -path '*/include/node/v8.h')")")
runtime=$(dirname "$runtime")
mkdir "$copy/project"
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'cp --parents "$@" "$0"' "$copy/project"
cp -a "$source/node_modules" "$copy/project/node_modules"
cd "$copy/project"
rm -rf node_modules/better-sqlite3/build
PATH="$runtime/bin:$PATH"
if [ "${BINDING:-built}" = built ]; then
  gyp="$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js"
  (cd node_modules/better-sqlite3 && node "$gyp" rebuild --release --nodedir="$runtime")
fi
node node_modules/tsup/dist/cli-default.js --silent
node --version
node node_modules/vitest/vitest.mjs run "$@"
