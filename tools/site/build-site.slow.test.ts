import assert from 'node:assert/strict'
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestBrowser } from '../../test/support/browser.ts'
import { isFullSize } from '../../test/support/full-size.ts'
import { root } from '../repository.ts'
import { buildSite } from './build-site.ts'

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

async function buildAndSearch(): Promise<void> {
  // Inside the clone, where the generator finds its packages.
  const home = mkdtempSync(join(root, '.strata/site-test-'))
  const out = join(home, 'out')
  const server = createServer(({ url = '/' }, answer) => {
    const path = url.replace(/[?#].*$/, '').replace(/\/$/, '/index.html')
    const file = join(out, path)
    answer.writeHead(existsSync(file) ? 200 : 404, {
      'content-type': types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    })
    if (existsSync(file)) createReadStream(file).pipe(answer)
    else answer.end()
  })
  try {
    assert.deepEqual(await buildSite({ out, work: join(home, 'work'), base: '/' }), [])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await using browser = await TestBrowser.start()
    const { page, problems, external } = await browser.open({ colorScheme: 'dark' })
    await page.goto(`${origin}/docs/testing.html`)
    await page.locator('html.dark').waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('KUBEBUILDER_ASSETS')
    await page.getByRole('option').first().click()
    await page.waitForURL(/testing/)
    assert.deepEqual({ problems, external }, { problems: [], external: [] })
  } finally {
    server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

test('the generator comes in one exact version, from whatever registry npm is set to', async () => {
  const folder = join(root, 'tools/site')
  const wanted = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const locked = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  const packages: readonly (readonly [string, { version: string; resolved?: string }])[] = Object.entries(
    locked.packages,
  )
  const versions = new Map(packages.map(([path, { version }]) => [path, version]))
  for (const [name, version] of Object.entries({ ...wanted.dependencies, ...wanted.devDependencies }))
    assert.equal(versions.get(`node_modules/${name}`), version)
  assert.deepEqual(
    packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
    [],
  )
})

// Half a minute, and 100 MB of packages. Links, sections and the parts of the build have tests that always run.
if (isFullSize)
  test('the site is built, finds words offline, is dark, and asks no other host', buildAndSearch)
