import type { Policy, Tab } from '../../db/policy.ts'
import type { UrlMetadata } from '../../db/schema.ts'
import type { Preview } from './answers.ts'
import { compile } from './evaluate.ts'
import { type Finding, lint } from './lint.ts'
import type { Viewer } from './viewer.ts'

/** A preview with its warnings as data. */
export type Tried = Omit<Preview, 'warnings'> & { warnings: Finding[] }

/**
 * Evaluates a policy for a viewer with the launcher’s own evaluator. Pure.
 * @param now milliseconds since 1970, for the warnings; independent of the viewer’s time.
 */
export function preview(
  policy: Policy | null,
  own: { urls: readonly string[]; urlMetadata: readonly UrlMetadata[] },
  viewer: Viewer,
  now: number,
): Tried {
  const compiled = policy === null ? null : compile(policy)
  const rule = compiled?.match(viewer) ?? null
  return {
    matchedRuleId: rule?.id ?? null,
    matchedRuleName: rule?.name ?? null,
    tabs: rule?.tabs ?? own.urls.map((url, index) => tab(url, own.urlMetadata[index])),
    trace: compiled?.trace(viewer) ?? [],
    warnings: policy === null ? [] : lint(policy, now),
  }
}

function tab(url: string, { note, section }: UrlMetadata = {}): Tab {
  // A new field of tabs does not compile until it is here.
  const fields = { note, section } satisfies Record<Exclude<keyof Tab, 'url'>, unknown>
  return { url, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) }
}
