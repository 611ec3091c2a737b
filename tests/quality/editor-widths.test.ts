import { expect, test } from 'bun:test'
import { ODD } from '../browser/bundles.ts'
import { overflowOf } from '../browser/flaws.ts'
import { openRows, rowsOf } from '../browser/links.ts'
import { setStage } from '../browser/stage.ts'
import { newPerson } from '../people.ts'

const stage = setStage()

// 320 pixels are the smallest phones.
test.each([320, 390, 1280])(
  'at %i pixels 25 links take one line each, and nothing overflows its line',
  async (width) => {
    const owner = await newPerson(stage.server)
    const { slug } = await owner.makeBundle({ ...ODD })
    const viewport = { width, height: 860 }
    const { page } = await stage.open(`/dashboard/links/${slug}`, owner, { viewport })
    expect(await openRows(page)).toEqual(Array.from({ length: 25 }, () => false))
    const heights = await rowsOf(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(width > 1000 ? 48 : 88)
    expect(await overflowOf(page)).toBe(0)
    const parts = await rowsOf(page).evaluateAll((all) =>
      all.flatMap((row) =>
        [...row.querySelectorAll('.called, .at, .badges, .tag')]
          .filter((part) => part.checkVisibility())
          .map(
            (part) =>
              part.getBoundingClientRect().right -
              (row.querySelector('.line') as Element).getBoundingClientRect().right,
          ),
      ),
    )
    expect(Math.max(...parts)).toBeLessThan(1)
  },
)
