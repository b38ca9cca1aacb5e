#!/usr/bin/env bash
# Makes what the servers of one fleet share, as files for a Secret (docs/install.md). Needs openssl 3.
# Usage: deploy/make-credentials.sh FOLDER SERVICE, e.g. deploy/make-credentials.sh credentials strata-server.strata.svc
set -euo pipefail
folder=$1
service=$2
umask 077
mkdir "$folder" && cd "$folder"

new() { openssl req -x509 -newkey rsa:2048 -nodes "$@" 2>&1 | { grep -E 'rror' || true; } >&2; }
new -days 3650 -subj /CN=strata-ca -keyout ca.key -out ca.crt
new -days 365 -subj /CN=strata -CA ca.crt -CAkey ca.key -keyout tls.key -out tls.crt \
  -addext "subjectAltName=DNS:$service" -addext basicConstraints=CA:FALSE
new -days 3650 -subj /CN=strata-front-proxy-ca -keyout front-proxy-ca.key -out front-proxy-ca.crt
new -days 365 -subj /CN=front-proxy-client -CA front-proxy-ca.crt -CAkey front-proxy-ca.key \
  -keyout front-proxy-client.key -out front-proxy-client.crt \
  -addext basicConstraints=CA:FALSE -addext extendedKeyUsage=clientAuth
openssl genrsa -out sa.key 2048

for name in admin controllers metrics; do openssl rand -hex 24 | tr -d '\n' > $name.token; done
cat > tokens.csv <<END
$(cat admin.token),admin,admin,"system:masters"
$(cat controllers.token),strata-controllers,controllers,"system:masters"
$(cat metrics.token),metrics,metrics,"system:monitoring"
END
# What signs certificates stays with you, and out of the Secret.
mkdir keep && mv ca.key front-proxy-ca.key keep/
