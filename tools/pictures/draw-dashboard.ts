import { join } from 'node:path'
import { PlayedFleet } from '../../test/browser/played-fleet.ts'
import { untilSaid } from '../../test/browser/shown-page.ts'
import { TestBrowser } from '../../test/support/browser.ts'
import { linkIn } from '../../test/support/dashboard-session.ts'
import { withUpFleet } from '../../test/support/up-process.ts'

/** Draws `dashboard.png`: the page of a real fleet whose upgrade is half-way. */
export async function drawDashboard(directory: string): Promise<void> {
  await withUpFleet(['--release', 'x+1', '--dashboard-port', '0'], async (up) => {
    await using browser = await TestBrowser.start()
    const fleet = await PlayedFleet.of(up)
    try {
      await fleet.createBeacons(40)
      const look = { viewport: { width: 1280, height: 1000 }, reducedMotion: 'reduce' } as const
      const { page } = await browser.open({ ...look, colorScheme: 'light' })
      await page.goto(linkIn(up.up.stdout))
      await untilSaid(page, /^All \d+ resources agree, and nothing is/)
      await up.strata('roll', '--to', 'x+2', '--one-by-one')
      await untilSaid(page, /^1 of \d+ resources disagrees/)
      await up.strata('roll', '--resume', '--one-by-one')
      await untilSaid(page, /S3 writes v1/)
      // The last minutes fill the timeline.
      for (let zoom = 0; zoom < 3; zoom++) await page.click('[aria-label="Show less time"]')
      await page.click('.header')
      await page.screenshot({ path: join(directory, 'dashboard.png') })
    } finally {
      fleet.close()
    }
  })
}

if (import.meta.main) await drawDashboard(process.argv[2] ?? 'docs/pictures')
