import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { TestBrowser } from '../support/browser.ts'
import { childrenOf } from '../support/child-processes.ts'
import { until } from '../support/until.ts'

const PAGES: Readonly<Record<string, string>> = {
  '/good':
    '<!doctype html><link rel="icon" href="data:,"><title>good</title><h1></h1><script src="/script"></script>',
  '/script': 'document.querySelector("h1").textContent = "drawn by a script"',
  '/bad':
    '<!doctype html><link rel="icon" href="data:,"><img src="http://elsewhere.example/x.png" alt=""><script>console.error("said so"); missing()</script>',
}

const server = createServer((request, response) => {
  const text = PAGES[request.url ?? '']
  response.writeHead(text === undefined ? 404 : 200, {
    'content-type': request.url === '/script' ? 'text/javascript' : 'text/html',
  })
  response.end(text)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a browser shows what a page draws, and has nothing to say about a good page', async () => {
  await using browser = await TestBrowser.start()
  const { page, problems, external } = await browser.open()
  await page.goto(`${origin}/good`)
  assert.equal(await page.textContent('h1'), 'drawn by a script')
  assert.deepEqual({ problems, external }, { problems: [], external: [] })
})

test('errors of a page and what it asks of others are collected', async () => {
  await using browser = await TestBrowser.start()
  const { page, problems, external } = await browser.open()
  await page.goto(`${origin}/bad`)
  await until('all is collected', () => problems.length >= 3 && external.length > 0)
  const text = problems.join('\n')
  for (const expected of [/console: said so/, /uncaught: .*missing/, /request: http:\/\/elsewhere\.example/])
    assert.match(text, expected)
  assert.deepEqual(external, ['http://elsewhere.example/x.png'])
})

test('a failing test leaves neither processes nor files', async () => {
  const before = childrenOf(process.pid)
  let profile = ''
  await assert.rejects(async () => {
    await using browser = await TestBrowser.start()
    const { page } = await browser.open()
    await page.goto(`${origin}/good`)
    const [own = 0] = childrenOf(process.pid).filter((pid) => !before.includes(pid))
    profile = profileOf(own)
    assert.ok(existsSync(profile))
    throw new Error('as a test does')
  }, /as a test does/)
  assert.deepEqual(childrenOf(process.pid), before)
  assert.ok(!existsSync(profile))
})

function profileOf(pid: number): string {
  const argument = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .find((each) => each.startsWith('--user-data-dir='))
  return argument?.slice('--user-data-dir='.length) ?? ''
}
