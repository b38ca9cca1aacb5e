import type { Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { patience } from './played-fleet.ts'

export const sentence = (page: Page): Promise<string | null> => page.textContent('.sentence-line')

export const untilSaid = (page: Page, what: RegExp): Promise<unknown> =>
  until(
    `the sentence says ${what}`,
    async () => what.test((await sentence(page)) ?? '') || undefined,
    patience,
  )

export const show = (page: Page, view: string): Promise<void> => page.click(`.tabs >> text="${view}"`)
