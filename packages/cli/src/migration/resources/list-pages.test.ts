import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { pagesWithRetries } from './list-pages.ts'
import { PagedList, type PageFailure } from './paged-list-for-test.ts'

const pages = [['a', 'b'], ['c', 'd'], ['e']].map((names) => names.map((name) => ({ metadata: { name } })))
const all = 'abcde'
const times = (count: number, failure: PageFailure) => new Array<PageFailure>(count).fill(failure)

/** What is read, or the error, and the page of each request. */
const cases: ReadonlyArray<
  [name: string, failures: Readonly<Record<number, readonly PageFailure[]>>, want: string, asked: string]
> = [
  ['every page answers', {}, all, '123'],
  ['too many requests', { 3: [429, 429] }, all, '12333'],
  ['the server is not ready', { 2: [503] }, all, '1223'],
  ['an internal error that passes', { 2: [500] }, all, '1223'],
  ['an internal error that lasts', { 2: times(30, 500) }, 'answered 500', `1${'2'.repeat(16)}`],
  ['the connection is cut', { 1: ['reset'], 3: ['reset'] }, all, '11233'],
  ['too many requests for long', { 2: times(50, 429) }, all, `1${'2'.repeat(51)}3`],
  ['too many requests for good', { 2: times(90, 429) }, 'answered 429', `1${'2'.repeat(61)}`],
  ['the list expires, and the server gives a token', { 2: ['expired with a token'] }, all, '1223'],
  ['the list expires twice', { 2: times(2, 'expired with a token') }, all, '12223'],
  ['the list expires, and there is no token', { 2: [410] }, 'answered 410', '12'],
  ['a right is missing', { 2: [403] }, 'answered 403', '12'],
]
for (const [name, failures, want, asked] of cases) {
  test(`a list page by page: ${name}`, async () => {
    const simulation = new Simulation('pages')
    const world = simulation.process('cli')
    const list = new PagedList(world.clock, pages, failures)
    const objects = list.client.metadata({ group: 'g.dev', versionName: 'v1', resource: 'things' })
    const context = { world, signal: new AbortController().signal }
    const seen: string[] = []
    const read = async (): Promise<string> => {
      const listed = pagesWithRetries(context, (page, signal) => objects.listPage(page, signal), 2)
      for await (const items of listed) seen.push(...items.map(({ metadata }) => metadata.name ?? ''))
      return seen.join('')
    }
    const got = await simulation.settle(read()).catch(({ message }: Error) => message)
    assert.deepEqual([got, list.asked.join('')], [want, asked])
  })
}
