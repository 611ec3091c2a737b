import { expect } from 'bun:test'
import type { Server } from './server.ts'

/** A token for `SERVICE_METRICS_TOKEN`. */
export const METRICS_TOKEN = 'a metrics token of the tests'

/** The samples that Prometheus would read, by name with labels. */
export async function metricsOf(server: Pick<Server, 'origin'>): Promise<Map<string, number>> {
  const lines = (await scrape(server)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

/** Every declared metric, whether or not it has a sample yet. */
export async function metricFamilies(server: Pick<Server, 'origin'>): Promise<{ name: string; type: string }[]> {
  const declared = (await scrape(server)).matchAll(/^# TYPE (\S+) (\S+)$/gm)
  return [...declared].map(([, name = '', type = '']) => ({ name, type }))
}

async function scrape({ origin }: Pick<Server, 'origin'>): Promise<string> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'text/plain'])
  return answer.text()
}
