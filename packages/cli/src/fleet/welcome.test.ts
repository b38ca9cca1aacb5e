import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerView } from './state/fleet-state.ts'
import { welcome } from './welcome.ts'

const link = 'http://127.0.0.1:6480/dashboard/#code=abc'
const fleet = (
  count: number,
  release: string,
  releases: readonly string[] = [],
  more: { readonly link?: string | undefined; readonly place?: string } = {},
) =>
  welcome({
    link,
    kubeconfig: '/data/admin.kubeconfig',
    state: {
      releases,
      servers: Array.from({ length: count }, (_, index): ServerView => {
        const name = `strata-${index + 1}`
        return {
          ...{ name, instance: name, serverID: name, release, pid: 100 + index },
          ...{ url: 'https://a', state: 'ready', since: '' },
        }
      }),
    },
    controllers: 99,
    logs: '/data/logs',
    command: 'strata',
    place: ' --data-dir d',
    ...more,
  })

test('welcome: one server is not described as several', () => {
  assert.doesNotMatch(fleet(1, '0.1.0'), /--context|others|another,|strata-2/)
})

test('welcome: names the process of each server, and of the controllers', () => {
  assert.match(fleet(2, '0.1.0'), /Processes: strata-1 100, strata-2 101, controllers 99\./)
})

test('welcome: an upgrade is offered only to a release that there is', () => {
  assert.match(
    fleet(3, 'x+1', ['x', 'x+1', 'x+2']),
    /3 servers, release x\+1\.[\s\S]*strata roll --to x\+2 --data-dir d/,
  )
  assert.doesNotMatch(fleet(3, 'x+2', ['x', 'x+1', 'x+2']), /strata roll/)
  assert.doesNotMatch(fleet(3, '0.1.0', ['x', 'x+1', 'x+2']), /strata roll|release 0/)
  assert.doesNotMatch(fleet(3, '0.1.0'), /strata roll/)
})

test('welcome: there are three commands to try', () => {
  for (const text of [fleet(1, '0.1.0'), fleet(3, 'x+1', ['x+1', 'x+2'])])
    assert.equal(text.match(/^ {2}# /gm)?.length, 3)
})

test('welcome: each command reaches the fleet, and none names a pid, which another process may have by then', () => {
  const other = fleet(3, 'x+1', ['x+1', 'x+2'])
  assert.match(other, /^ {2}strata status --kubeconfig '\/data\/admin\.kubeconfig'$/m)
  assert.match(other, /^ {2}strata playground crash strata-1 --data-dir d$/m)
  const usual = fleet(3, 'x+1', ['x+1', 'x+2'], { place: '' })
  assert.match(usual, /^ {2}strata status$/m)
  assert.match(usual, /^ {2}strata playground crash strata-1$/m)
  assert.doesNotMatch(usual, /kill -9/)
})

test('welcome: the link to the dashboard is shown, once, and nothing of it without a dashboard', () => {
  assert.equal(fleet(3, 'x+1').split(link).length, 2)
  assert.match(fleet(3, 'x+1'), /"strata playground link --data-dir d" makes another/)
  assert.doesNotMatch(fleet(3, 'x+1', [], { link: undefined }), /dashboard|playground link|undefined/i)
})
