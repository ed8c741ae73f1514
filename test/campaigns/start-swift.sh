#!/usr/bin/env bash
# Starts OpenStack Swift with its S3 interface at 127.0.0.1, on a port and the four after it: start-swift.sh DIRECTORY PORT
# Needs root and Debian's swift-proxy, swift-account, swift-container, swift-object and memcached. Ends with the script.
# The key pair is test:tester and testing.
set -euo pipefail
DIR="$(realpath -m "$1")"
PORT="$2"
mkdir -p "$DIR"/{etc,srv/d1,cache}
cd "$DIR/etc"
MEMCACHED_PORT=$((PORT + 4))
for kind in account:$((PORT + 1)) container:$((PORT + 2)) object:$((PORT + 3)); do
  name=${kind%%:*}; port=${kind##*:}
  swift-ring-builder $name.builder create 4 1 1 >/dev/null
  swift-ring-builder $name.builder add r1z1-127.0.0.1:$port/d1 1 >/dev/null
  swift-ring-builder $name.builder rebalance >/dev/null
  cat > $name.conf <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
user = $(id -un)
swift_dir = $DIR/etc
devices = $DIR/srv
mount_check = false
workers = 1
[pipeline:main]
pipeline = $name-server
[app:$name-server]
use = egg:swift#$name
CONF
done
cat > proxy.conf <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $PORT
user = $(id -un)
swift_dir = $DIR/etc
workers = 1
[pipeline:main]
pipeline = catch_errors cache s3api tempauth copy slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$MEMCACHED_PORT
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = 1
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
min_segment_size = 1
CONF
trap 'kill $(jobs -p) 2>/dev/null' EXIT
memcached -u "$(id -un)" -l 127.0.0.1 -p "$MEMCACHED_PORT" &
for name in account container object; do swift-$name-server $name.conf >/dev/null 2>&1 & done
swift-proxy-server proxy.conf > "$DIR/proxy.log" 2>&1 &
wait
