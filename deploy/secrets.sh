#!/bin/sh
# Makes what docker-compose.yml reads and no repository may hold, in the folder one stands in: `.env`, and in `secrets/` the
# key that sqld checks tokens with and the password of Valkey. `sh deploy/secrets.sh https://go.example.com`
set -eu
umask 077
base_url=${1:?name the address that people use, such as https://go.example.com}
for made in .env secrets; do
  if [ -e "$made" ]; then
    echo "$made already exists: move it away first" >&2
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
# Nobody needs to sign another: for a new token run this again.
rm secrets/signing.key secrets/claims

password=$(openssl rand -hex 32)
printf 'requirepass %s\n' "$password" >secrets/valkey.conf
# Read in containers by other users than who makes them; the folder is closed to the rest of this machine.
chmod 644 secrets/sqld.pem secrets/valkey.conf

cat >.env <<END
SERVICE_BASE_URL=$base_url
SERVICE_SECRET=$(openssl rand -base64 32)
DATABASE_AUTH_TOKEN=$token
VALKEY_PASSWORD=$password
END
