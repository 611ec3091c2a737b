import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { need } from './needs.ts'

/** A running nginx. */
interface Nginx {
  stop(): Promise<void>
}

/**
 * Starts Debian's nginx in front of a service, and waits until it answers.
 * @param origin where it listens: on localhost.
 * @param upstream the port of the service.
 * @param server lines for its block `server`.
 */
export async function startNginx(origin: string, upstream: number, server = ''): Promise<Nginx> {
  need('nginx')
  const folder = mkdtempSync(join(tmpdir(), 'openall-nginx-'))
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${new URL(origin).port};
    ${server}
    location / {
      proxy_pass http://localhost:${upstream};
      proxy_set_header Host $http_host;
    }
  }
}
`,
  )
  const nginx = Bun.spawn(['nginx', '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await eventually(async () => (await fetch(origin).catch(() => null)) !== null, 'nginx listens')
  return {
    async stop() {
      nginx.kill()
      await nginx.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
