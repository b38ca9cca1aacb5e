import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseGoUrl } from './go-url.ts'

const plain = { scheme: 'https', host: 'h', userInfo: undefined, path: '', rawQuery: '', fragment: '' }
const cases: ReadonlyArray<[text: string, expected: ReturnType<typeof parseGoUrl>]> = [
  ['https://h', plain],
  ['HTTPS://h:8443/a/b', { ...plain, host: 'h:8443', path: '/a/b' }],
  ['https://u:p@h/x?q=1#f', { ...plain, userInfo: 'u:p', path: '/x', rawQuery: 'q=1', fragment: 'f' }],
  ['https://[::1]:9443/', { ...plain, host: '[::1]:9443', path: '/' }],
  ['h/x', { ...plain, scheme: '', host: '', path: 'h/x' }],
  ['mailto:a', { ...plain, scheme: 'mailto', host: '' }],
  ['https:///x', { ...plain, host: '', path: '/x' }],
  [':h', { problem: 'parse ":h": missing protocol scheme' }],
  ['1a:b', { problem: 'parse "1a:b": first path segment in URL cannot contain colon' }],
  ['https://h:x/', { problem: 'parse "https://h:x/": invalid port ":x" after host' }],
  ['https://h h/', { problem: 'parse "https://h h/": invalid character " " in host name' }],
  ['https://[::1', { problem: 'parse "https://[::1": missing \']\' in host' }],
  ['https://h/%zz', { problem: 'parse "https://h/%zz": invalid URL escape "%zz"' }],
  ['https://h/\n', { problem: 'parse "https://h/\\n": net/url: invalid control character in URL' }],
]

for (const [text, expected] of cases) {
  test(`go url: ${JSON.stringify(text)}`, () => assert.deepEqual(parseGoUrl(text), expected))
}
