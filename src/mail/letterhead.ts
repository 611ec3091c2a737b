import { escapeHtml } from '@kitajs/html'
import { eq } from 'drizzle-orm'
import type { Store } from '../../db/client.ts'
import { COLORS, LOOK, type OrganizationLook, organization, owners } from '../../db/schema.ts'
import type { Config } from '../config/config.ts'
import { HUES, NO_HUE } from '../core/hues.ts'
import { routes } from '../core/routes.ts'
import { inLine } from './mailer.ts'
import type { Mail } from './smtp.ts'

/** Names an organisation: by its id, or as an owner. */
export type Named = { organizationId: string } | { ownerId: number }

/** The letterhead of an organisation; null if the owner is none, or it is gone. */
export async function letterheadOf({ db }: Pick<Store, 'db'>, named: Named): Promise<OrganizationLook | null> {
  const [found] =
    'ownerId' in named
      ? await db
          .select(LOOK)
          .from(organization)
          .innerJoin(owners, eq(owners.organizationId, organization.id))
          .where(eq(owners.id, named.ownerId))
      : await db.select(LOOK).from(organization).where(eq(organization.id, named.organizationId))
  return found ?? null
}

/** The letterhead of a mail about things of several owners: none, unless they are one organisation’s. */
export function letterheadOfAll(
  store: Pick<Store, 'db'>,
  things: readonly { ownerId: number }[],
): Promise<OrganizationLook | null> {
  const [ownerId, ...others] = new Set(things.map((thing) => thing.ownerId))
  return ownerId === undefined || others.length > 0 ? Promise.resolve(null) : letterheadOf(store, { ownerId })
}

type Service = Pick<Config, 'name' | 'origin'>

/**
 * A mail under a letterhead: its text stays, and gets an HTML part that shows whose it is. Without one, mails are plain text.
 * The service is named beside it, because anybody can give an organisation any name and picture.
 */
export function under<Sent extends Pick<Mail, 'text'>>(
  letterhead: OrganizationLook | null,
  mail: Sent,
  service: Service,
): Sent & Pick<Mail, 'html'> {
  return letterhead === null ? mail : { ...mail, html: htmlOf(letterhead, mail.text, service) }
}

/** The side of the sign in pixels. */
const SIDE = 40

function htmlOf(
  { name, color, pictureId }: OrganizationLook,
  text: string,
  { name: service, origin }: Service,
): string {
  const [ground, ink] = (color === null ? undefined : HUES[COLORS.indexOf(color)]) ?? NO_HUE
  const source = `${origin}${routes.icon.href({ icon: `${pictureId}.png` })}`
  const letter = ([...name.trim()][0] ?? '').toUpperCase()
  const sign =
    pictureId === null
      ? `<td><div style="width:${SIDE}px;line-height:${SIDE}px;border-radius:10px;background:${ground};color:${ink};font-weight:700;text-align:center">${escapeHtml(letter)}</div></td>`
      : `<td width="${SIDE}"><img src="${escapeHtml(source)}" alt="" width="${SIDE}" height="${SIDE}" style="display:block;border-radius:10px"></td>`
  const edge = color === null ? '' : `border-left:4px solid ${ink};padding-left:12px;`
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>',
    `<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">`,
    '<div style="max-width:35rem;margin:0 auto">',
    `<table role="presentation" cellpadding="0" cellspacing="0" style="${edge}margin-bottom:24px"><tr>${sign}`,
    `<td style="padding-left:12px"><strong>${escapeHtml(inLine(name))}</strong><br>on ${escapeHtml(service)}</td></tr></table>`,
    ...text.split('\n\n').map((part) => paragraph(part, origin)),
    '</div></body></html>',
  ].join('')
}

function paragraph(text: string, origin: string): string {
  const lines = text.split('\n').map((line) => {
    const words = line.trimStart()
    const indent = '&nbsp;'.repeat(line.length - words.length)
    // Only the service's own addresses: texts of users have none, see `unlinked`.
    const isLink = words.startsWith(`${origin}/`) && !/\s/.test(words)
    const written = escapeHtml(words)
    return indent + (isLink ? `<a href="${written}">${written}</a>` : written)
  })
  return `<p style="margin:0 0 16px;overflow-wrap:anywhere">${lines.join('<br>')}</p>`
}
