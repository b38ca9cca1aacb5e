import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type AssetRequest, answerAsset } from './answer-asset.ts'
import { unpackAssets } from './packed-assets.ts'

const pack = (type: string, text: string) => ({
  type,
  brotli: brotliCompressSync(text).toString('base64'),
  gzip: gzipSync(text).toString('base64'),
})
const page = '<!doctype html><title>Strata</title>'
const script = 'export {}'
const assets = unpackAssets({
  'index.html': pack('text/html; charset=utf-8', page),
  'assets/main-A.js': pack('text/javascript; charset=utf-8', script),
})
const answer = (request: Partial<AssetRequest>) =>
  answerAsset(assets, { method: 'GET', target: '/dashboard/', ...request })

const cases: ReadonlyArray<[name: string, request: Partial<AssetRequest>, status: number, body: string]> = [
  ['the page', {}, 200, page],
  ['a file', { target: '/dashboard/assets/main-A.js' }, 200, script],
  ['a file, whatever its query', { target: '/dashboard/assets/main-A.js?v=1' }, 200, script],
  ['the address of a view is the page', { target: '/dashboard/agreement/beacons.example.dev' }, 200, page],
  ['so is one that looks like a file', { target: '/dashboard/agreement/a.js' }, 200, page],
  ['a path upwards is no file', { target: '/dashboard/../../etc/passwd' }, 200, page],
  [
    'nor is one among the files',
    { target: '/dashboard/assets/../../../etc/passwd' },
    404,
    'has no such file',
  ],
  [
    'an encoded one neither',
    { target: '/dashboard/assets/%2e%2e/%2e%2e/etc/passwd' },
    404,
    'has no such file',
  ],
  ['a file of an older program is gone', { target: '/dashboard/assets/main-0.js' }, 404, 'Reload the page'],
  ['names of objects are no files', { target: '/dashboard/assets/__proto__' }, 404, 'has no such file'],
  ['without the slash', { target: '/dashboard' }, 308, ''],
  ['nothing can be written', { method: 'POST' }, 405, 'can only be read'],
  ['nor deleted', { method: 'DELETE', target: '/dashboard/assets/main-A.js' }, 405, 'can only be read'],
]
describe('files of the dashboard', () => {
  for (const [name, request, status, body] of cases) {
    test(name, () => {
      const answered = answer(request)
      assert.equal(answered.status, status)
      assert.ok(String(Buffer.from(answered.body as Uint8Array)).includes(body), String(answered.body))
      assert.match(String(answered.headers['content-security-policy']), /^default-src 'none';/)
      assert.equal(answered.headers['x-content-type-options'], 'nosniff')
      assert.equal(answered.headers['referrer-policy'], 'no-referrer')
      assert.equal(answered.headers['access-control-allow-origin'], undefined)
    })
  }

  test('the page is looked at again each time, a file never', () => {
    assert.equal(answer({}).headers['cache-control'], 'no-cache')
    const { headers } = answer({ target: '/dashboard/assets/main-A.js' })
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  })

  test('a client that has the page gets no second copy', () => {
    const { etag } = answer({}).headers
    const again = answer({ ifNoneMatch: `"other", ${etag}` })
    assert.deepEqual([again.status, (again.body as Uint8Array).length], [304, 0])
    assert.equal(answer({ ifNoneMatch: '"other"' }).status, 200)
  })

  const encodings: ReadonlyArray<[accepted: string | undefined, want: string | undefined]> = [
    [undefined, undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['BR;q=0.1', 'br'],
    ['identity', undefined],
    ['brotli', undefined],
    ['gzip;q=0.0', undefined],
  ]
  for (const [acceptEncoding, want] of encodings) {
    test(`with Accept-Encoding ${acceptEncoding} it is sent as ${want ?? 'it is'}`, () => {
      const { headers } = answer({ acceptEncoding })
      assert.deepEqual([headers['content-encoding'], headers['vary']], [want, 'Accept-Encoding'])
    })
  }
})
