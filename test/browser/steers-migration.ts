import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createCertificates } from '../support/certificates.ts'
import { until } from '../support/until.ts'
import { WebhookProcess } from '../support/webhook-process.ts'
import { assertAccessible } from './page-watch.ts'
import { lanternCrd, type PlayedFleet, patience } from './played-fleet.ts'
import { show } from './shown-page.ts'

/**
 * A migration of a CRD whose storage version is switched on the page. A webhook denies one object, and never answers about
 * another one, so the migration goes on until it is cancelled. `meanwhile` runs beside it.
 */
export async function steersMigration(
  page: Page,
  fleet: PlayedFleet,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const certificates = await createCertificates()
  const webhook = await WebhookProcess.start(certificates)
  try {
    await fleet.createLanterns()
    await fleet.guardLanterns(webhook.origin, certificates.ca)
    await show(page, 'Migrations')
    await page.selectOption(`select[id="crd-${lanternCrd}"]`, 'v2')
    const card = page.locator('.card', { hasText: lanternCrd })
    const phase = (wanted: string): Promise<unknown> =>
      until(
        `the migration is ${wanted}`,
        async () => (await card.locator('.card-phase').textContent()) === wanted || undefined,
        patience,
      )
    await card.waitFor({ timeout: patience.giveUpMs })
    await phase('running')
    await showsQuarantine(page)
    await card.locator('text="Pause"').click()
    await phase('paused')
    assert.equal(await fleet.annotationOfMigration('strata.dev/paused'), 'true')
    await meanwhile()
    await card.locator('text="Resume"').click()
    await phase('running')
    await card.locator('text="Cancel"').click()
    await phase('failed')
    assert.match((await card.textContent()) ?? '', /cancel/i)
  } finally {
    await webhook.kill()
    await certificates.remove()
  }
}

async function showsQuarantine(page: Page): Promise<void> {
  const card = page.locator('.card', { hasText: lanternCrd }).filter({ hasText: 'set aside' })
  await card.waitFor({ timeout: patience.giveUpMs })
  assert.match(
    (await card.textContent()) ?? '',
    /1 set aside.*denied by admission.*change these objects or the policy.*default\/guarded/,
  )
  await assertAccessible(page, 'a migration that has set an object aside')
}
