import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRoute, routePath } from './routes.ts'

const views = ['agreement', 'storage']
const cases: ReadonlyArray<[path: string, search: string, want: readonly [string, string | undefined]]> = [
  ['/dashboard/', '', ['agreement', undefined]],
  ['/dashboard/storage', '', ['storage', undefined]],
  ['/dashboard/storage/', '', ['storage', undefined]],
  [
    '/dashboard/agreement/beacons.lighthouse.example.dev',
    '',
    ['agreement', 'beacons.lighthouse.example.dev'],
  ],
  ['/dashboard/storage/a%20b', '', ['storage', 'a b']],
  ['/dashboard/storage/%', '', ['storage', '%']],
  ['/dashboard/nothing/here', '', ['agreement', undefined]],
  ['/elsewhere', '', ['agreement', undefined]],
]
for (const [path, search, [view, item]] of cases) {
  test(`routes: ${path} is ${view}${item === undefined ? '' : ` of ${item}`}`, () => {
    const route = readRoute(path, search, views)
    assert.deepEqual([route.view, route.item], [view, item])
  })
}

test('routes: an address that is written is read as the same', () => {
  for (const item of ['beacons.lighthouse.example.dev', 'a/b', 'a?b&c=d', '%2F', 'ä']) {
    const route = { view: 'storage', item, query: { filter: 'a b&c' } }
    const [path = '', search = ''] = routePath(route).split('?')
    assert.deepEqual(readRoute(path, search, views), route)
  }
})
