import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminToken } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'

const never = new AbortController().signal

const file = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('a file'),
  isFinal: true,
}
const asked: string[] = []
const dashboard = async ({ method, target }: { method: string; target: string }) => {
  asked.push(`${method} ${target}`)
  return file
}

/** With nothing but its path, and with a token that is wrong. */
const strangers: ReadonlyArray<[who: string, headers: Record<string, string>, refusal: number]> = [
  ['an anonymous client', { authorization: '' }, 403],
  ['a client with the token in a cookie', { authorization: '', cookie: `token=${adminToken}` }, 403],
  ['a client with a wrong token', { authorization: 'Bearer wrong' }, 401],
]
const notFiles = [
  '/api/v1/secrets',
  '/apis',
  '/metrics',
  '/dashboards',
  '//dashboard/../api/v1/secrets',
  '/api/v1/namespaces/default/pods/dashboard',
]

describe('the dashboard of an API server', async () => {
  const { send, server } = await startServer('dashboard', { dashboard })
  for (const [who, headers, refusal] of strangers) {
    test(`${who} gets files`, async () => {
      const answer = await send('GET', '/dashboard/assets/main.js', undefined, headers)
      assert.deepEqual([answer.status, answer.body], [200, 'a file'])
      assert.equal(asked.at(-1), 'GET /dashboard/assets/main.js')
    })
    for (const path of notFiles) {
      test(`${who} gets nothing else: ${path}`, async () => {
        const before = asked.length
        const answer = await send('GET', path, undefined, headers)
        assert.equal(answer.status, refusal)
        assert.equal(asked.length, before)
      })
    }
  }

  test('a page of another site cannot use the login of the browser', async () => {
    const { handle } = server
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
    const answer = await handle({ method: 'POST', target: '/api/v1/namespaces', headers, signal: never })
    assert.match(
      Buffer.from(answer.body as Uint8Array).toString(),
      /"message":"the browser sends this for a page of another site/,
    )
  })

  test('requests for files are counted with the others', async () => {
    const { body } = await send('GET', '/metrics')
    assert.match(String(body), /apiserver_request_total\{.*code="200"/)
    assert.ok(server.ready)
  })
})

test('without a dashboard, its path is one like any other', async () => {
  const { send } = await startServer('no dashboard')
  assert.equal((await send('GET', '/dashboard/', undefined, { authorization: '' })).status, 403)
  assert.equal((await send('GET', '/dashboard/')).status, 404)
})
