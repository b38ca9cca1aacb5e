import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unpackAssets } from '@strata/cli/dashboard-assets'
import { buildDashboard } from './build-dashboard.ts'

/** What a visitor waits for, compressed. */
const BUDGET_BYTES = 150_000

describe('the files of the dashboard', async () => {
  const { assets: packed, inputs } = await buildDashboard()
  const assets = unpackAssets(packed)
  const page = Buffer.from(assets.get('index.html')?.identity ?? []).toString()
  const named = [...page.matchAll(/ (?:src|href)="\/dashboard\/([^"]+)"/g)].map(([, path = '']) => path)

  test('the page names files that exist, by their content', () => {
    assert.ok(named.length > 0, page)
    for (const path of named) {
      assert.match(path, /^assets\/[\w-]+-[A-Z0-9]{8}\.(?:js|css)$/)
      assert.ok(assets.has(path), path)
    }
  })

  test('the page has no script and no style in it, which its policy would not run', () => {
    assert.doesNotMatch(page, /<style|style=|\son\w+=|<script(?![^>]* src=)|javascript:/i)
  })

  test('nothing is asked of another origin', () => {
    for (const [path, { identity }] of assets) {
      // Names of XML are no addresses, nor are links that a user may follow to the documentation.
      const text = Buffer.from(identity)
        .toString()
        .replaceAll(/https?:\/\/www\.w3\.org\/[\w/.]*/g, '')
      assert.doesNotMatch(text, /(?:src|url\(|import\(|fetch\()\s*=?\s*["'`]?(?:https?:)?\/\//, path)
    }
  })

  test(`all files together are under ${BUDGET_BYTES / 1000} KB`, () => {
    const bytes = [...assets.values()].reduce((sum, { br }) => sum + br.length, 0)
    assert.ok(bytes < BUDGET_BYTES, `${bytes} bytes`)
  })

  test('each file is the same in every encoding', async () => {
    const { gunzipSync } = await import('node:zlib')
    for (const [path, { identity, gzip }] of assets) assert.ok(gunzipSync(gzip).equals(identity), path)
  })

  test('it sees only what may run in a browser', () => {
    const packages = new Set(inputs.flatMap((path) => /^packages\/([^/]+)\//.exec(path)?.[1] ?? []))
    for (const name of ['server', 'controllers', 'cli']) assert.ok(!packages.has(name), name)
    assert.deepEqual(
      inputs.filter((path) => path.includes('/node/')),
      [],
    )
  })
})
