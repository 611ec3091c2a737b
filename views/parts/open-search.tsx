/** @jsxImportSource @kitajs/html */

import { escapeHtml } from '@kitajs/html'

/** The type of a description of a search. */
export const OPEN_SEARCH = 'application/opensearchdescription+xml'
/** Bounds of the specification, in characters. */
const SHORT_NAME = 16
const LONG_NAME = 48

/** Has browsers offer a search in their address bar. @param name as an attribute. */
export function SearchLink({ href, name }: { href: string; name: string }): JSX.Element {
  return <link rel="search" type={OPEN_SEARCH} href={href} title={name} />
}

interface Search {
  /** What browsers list it as. */
  name: string
  description: string
  /** Where it leads, with `{searchTerms}` in its query. */
  template: string
  origin: string
}

/** Describes a search to browsers (OpenSearch 1.1), which then offer it in their address bar. */
export function openSearch({ name, description, template, origin }: Search): string {
  const field = (tag: string, text: string) => `  <${tag}>${escapeHtml(text)}</${tag}>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
    field('ShortName', clipped(name, SHORT_NAME)),
    field('LongName', clipped(name, LONG_NAME)),
    field('Description', description),
    field('InputEncoding', 'UTF-8'),
    `  <Image width="192" height="192" type="image/png">${escapeHtml(origin)}/icon-192.png</Image>`,
    `  <Url type="text/html" method="get" template="${escapeHtml(template)}"/>`,
    '</OpenSearchDescription>',
    '',
  ].join('\n')
}

function clipped(text: string, max: number): string {
  const letters = [...text]
  return letters.length <= max
    ? text
    : `${letters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}
