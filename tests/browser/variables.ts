import type { NewBundle } from '../../src/bundles/content/shapes.ts'

/** A desk whose links are about one customer. */
export const DESK = {
  title: 'Customer {customer}',
  description: 'CRM, billing, tickets, errors and usage, side by side. The number is on every invoice, top right.',
  variables: [
    { name: 'customer', label: 'Customer number', example: '4711' },
    { name: 'range', label: 'Range', options: ['24h', '7d', '30d'], default: '7d' },
  ],
  urls: [
    'https://crm.northwind.example/customers/{customer}',
    'https://billing.northwind.example/?customer={customer}',
    'https://help.northwind.example/search?q={customer}',
    'https://sentry.northwind.example/?user={customer}&period={range}',
    'https://grafana.northwind.example/d/requests?c={customer}&range={range}',
    'https://metrics.northwind.example/usage/{customer}?last={range}',
  ],
  urlMetadata: [
    { note: 'Customer {customer} in the CRM', section: 'Support desk' },
    { note: 'Invoices and payments', tags: ['finance'], section: 'Support desk' },
    { note: 'Open tickets', section: 'Support desk' },
    { note: 'Errors they saw', section: 'Support desk' },
    { note: 'Their requests', section: 'Support desk' },
    { note: 'What they use', section: 'Support desk' },
  ],
} satisfies NewBundle

/** A bundle whose links lead to destinations, with a value in the path, in the query, and none in the last. */
export function deskAt(urls: readonly string[]): NewBundle {
  const [first, second, ...others] = urls
  return {
    title: 'Customer {customer}',
    variables: DESK.variables,
    urls: [`${first}/{customer}`, `${second}?customer={customer}&last={range}`, ...others],
  }
}

/** What is sent to the destinations of such a bundle of three links, sorted. */
export function sentAt(customer: string, range = '7d'): string[] {
  return [`/1/${customer}`, `/2?customer=${customer}&last=${range}`, '/3']
}
