import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Names what has moved without a user, from the first paint on. Called before the page is opened. */
export async function watchShifts(page: Page): Promise<void> {
  // As text: this repository has no types of browsers outside of the dashboard.
  await page.addInitScript(`
    globalThis.shifts = []
    const box = ({ x, y, width, height }) => [x, y, width, height].join(' ')
    const moved = ({ node, previousRect, currentRect }) =>
      (node?.className ?? '?') + ' from ' + box(previousRect) + ' to ' + box(currentRect)
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        // The axis of time moves with the time.
        if (!hadRecentInput && !sources.every(({ node }) => node?.closest?.('.timeline')))
          shifts.push(value + ': ' + sources.map(moved).join(', '))
    }).observe({ type: 'layout-shift', buffered: true })`)
}

/** How much wider the page is than the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')

/** A new sentence may begin its second part on another line: its own box has the same size. Nothing else may move. */
export const shiftsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate('shifts.filter((each) => !/^[^,]*: sentence-rest [^,]*$/.test(each))')

/** Nothing that a person with a screen reader, or without a mouse, would stumble over. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      readonly axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await checker.run()
    return violations.map(
      ({ id, nodes: [first, ...more] }) =>
        `${id}, ${more.length + 1} times: ${first?.html}: ${first?.failureSummary}`,
    )
  })
  assert.deepEqual(found, [], where)
}
