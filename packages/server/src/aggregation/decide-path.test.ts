import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainPath } from './decide-path.ts'

const rows: ReadonlyArray<[path: string, want: boolean]> = [
  ['/apis/example.dev/v1', true],
  ['/apis/example.dev/v1/', true],
  ['/apis/example.dev/v1/namespaces/a/things/b/status', true],
  ['/apis/example.dev/v1/things/system:a%20b', true],
  ['/apis/example.dev/v1/../v2/things', false],
  ['/apis/example.dev/v1/%2e%2E/v2/things', false],
  ['/apis/example.dev/v1/./things', false],
  ['/apis/example.dev/v1//things', false],
  ['/apis/example.dev/v1/things//', false],
  ['/apis/example.dev/v1/things/a%2Fb', false],
  ['/apis/example.dev/v1/things/a%5cb', false],
  ['/apis/example.dev/v1/things/a\\b', false],
  ['/apis/example.dev/v1/things/%00', false],
  ['/apis/example.dev/v1/things/%zz', false],
]
for (const [path, want] of rows) {
  test(`paths to a backend: ${path}`, () => assert.equal(isPlainPath(path), want))
}
