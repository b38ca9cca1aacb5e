import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../../../../test/support/until.ts'
import { decideOpener, openBrowser } from './open-browser.ts'

const openers: ReadonlyArray<
  [platform: string, environment: Record<string, string>, want: string | undefined]
> = [
  ['darwin', {}, 'open'],
  ['linux', { DISPLAY: ':0' }, 'xdg-open'],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
  ['linux', {}, undefined],
  ['win32', { DISPLAY: ':0' }, undefined],
]
for (const [platform, environment, want] of openers) {
  test(`the browser is opened on ${platform} ${Object.keys(environment).join()}: ${want ?? 'never'}`, () =>
    assert.equal(decideOpener(platform, environment), want))
}

test('the link is in a file of its user, and not among the arguments of a process', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'strata-opener-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const opener = join(home, 'opener')
  await writeFile(opener, '#!/bin/sh\nprintf %s "$*" > "$0.part"\nmv "$0.part" "$0.opened"\n', {
    mode: 0o700,
  })
  const link = 'http://127.0.0.1:1/dashboard/#code=secret'
  const opened = await openBrowser(opener, link)
  await until('the opener has run', () => existsSync(`${opener}.opened`))
  const given = await readFile(`${opener}.opened`, 'utf8')
  assert.doesNotMatch(given, /secret/)
  const file = fileURLToPath(given)
  assert.deepEqual(
    [(await stat(file)).mode & 0o777, (await stat(dirname(file))).mode & 0o777],
    [0o600, 0o700],
  )
  assert.ok((await readFile(file, 'utf8')).includes(`url=${link}"`))
  await opened.dispose()
  assert.equal(existsSync(dirname(file)), false)
})
