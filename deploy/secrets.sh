#!/bin/sh
# Generates the secrets that docker-compose.yml reads, in the current folder: `.env`, and in `secrets/` the key with which
# sqld checks tokens and the password of Valkey. Usage: `sh deploy/secrets.sh https://go.example.com`
set -eu
umask 077
base_url=${1:?give the public address of the service, such as https://go.example.com}
for path in .env secrets; do
  if [ -e "$path" ]; then
    echo "$path already exists: move it away first" >&2
    exit 1
  fi
done
mkdir secrets

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
openssl genpkey -algorithm ed25519 -out secrets/signing.key
openssl pkey -in secrets/signing.key -pubout -out secrets/sqld.pem
claims=$(printf '{"alg":"EdDSA","typ":"JWT"}' | base64url).$(printf '{"a":"rw"}' | base64url)
printf '%s' "$claims" >secrets/claims
token=$claims.$(openssl pkeyutl -sign -inkey secrets/signing.key -rawin -in secrets/claims | base64url)
# The signing key is not needed again: for a new token, run this script again.
rm secrets/signing.key secrets/claims

password=$(openssl rand -hex 32)
printf 'requirepass %s\n' "$password" >secrets/valkey.conf
# Containers read these as other users; the folder's own mode keeps other users of this machine out.
chmod 644 secrets/sqld.pem secrets/valkey.conf

cat >.env <<END
SERVICE_BASE_URL=$base_url
SERVICE_SECRET=$(openssl rand -base64 32)
DATABASE_AUTH_TOKEN=$token
VALKEY_PASSWORD=$password
END
