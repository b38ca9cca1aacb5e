import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const mayMove = [
  // The axis of time moves with the time.
  '.track',
  // A new sentence may begin its second part on another line: its own box has the same size.
  '.sentence-text',
  // Problems come first: a resource that becomes one, or is one no more, moves to where it belongs. The matrix does not.
  '.grid tbody tr',
  // What has ended is below what runs, which may begin to run, and may set objects aside.
  '.ended',
  // A scene that begins in the terminal is shown above the controls.
  '.playground:has(.scene)',
]

/** Names what has moved without a user, from the first paint on. Called before the page is opened. */
export async function watchShifts(page: Page): Promise<void> {
  // As text: this repository has no types of browsers outside of the dashboard.
  await page.addInitScript(`
    globalThis.shifts = []
    const box = ({ x, y, width, height }) => [x, y, width, height].join(' ')
    const moved = ({ node, previousRect, currentRect }) =>
      (node?.className ?? '?') + ' from ' + box(previousRect) + ' to ' + box(currentRect)
    const mayMove = ({ node }) => !node || ${JSON.stringify(mayMove)}.some((each) =>
      (node.closest ? node : node.parentElement)?.closest(each))
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput && !sources.every(mayMove))
          shifts.push(value + ': ' + sources.filter((each) => !mayMove(each)).map(moved).join(', '))
    }).observe({ type: 'layout-shift', buffered: true })`)
}

/** How much wider the page is than the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')

export const shiftsOf = (page: Page): Promise<readonly string[]> => page.evaluate('shifts')

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
