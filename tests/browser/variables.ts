import type { NewBundle } from '../../src/bundles/shapes.ts'

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
