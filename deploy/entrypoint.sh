#!/bin/sh
# Without arguments the service; with arguments the command line: `docker run IMAGE migrate` or `docker run IMAGE grantbook migrate`.
set -eu
[ "$#" -gt 0 ] || exec node "$(dirname "$0")/dist/src/main.js"
[ "$1" != grantbook ] || shift
exec grantbook "$@"
