/** The tabs of an organisation, for its admins. */
export const organizationPages = (id: string) =>
  [
    { href: `/dashboard/organizations/${id}`, name: 'People' },
    { href: `/dashboard/organizations/${id}/activity`, name: 'Activity' },
  ] as const
