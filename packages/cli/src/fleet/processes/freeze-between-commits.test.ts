import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, silentLog, utf8 } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import type { CliContext } from '../../context.ts'
import { FleetBoard } from '../state/fleet-board.ts'
import type { ServerState } from '../state/fleet-state.ts'
import { FleetServer } from './fleet-server.ts'
import { freezeBetweenCommits } from './freeze-between-commits.ts'

const world = createNodeWorld({ log: silentLog })
const { signal } = new AbortController()

interface Row {
  /** The state that the server gets by itself while the others are asked to write. */
  readonly meanwhile?: ServerState
  /** What the others answer to each write. */
  readonly answers: readonly number[]
  readonly state: ServerState
  readonly asked: number
  readonly problem?: RegExp
}

const rows: Readonly<Record<string, Row>> = {
  'the others can write': { answers: [201, 200], state: 'frozen', asked: 2 },
  'they can write the second time': { answers: [403, 201, 200], state: 'frozen', asked: 3 },
  'they never can': { answers: Array(5).fill(403), state: 'starting', asked: 5, problem: /5 times/ },
  'a roll stops the server meanwhile': {
    ...{ meanwhile: 'draining', answers: [201, 200], state: 'draining', asked: 2, problem: /was restarted/ },
  },
  'a failed write does not wake a server that ends': {
    ...{ meanwhile: 'draining', answers: [403], state: 'draining', asked: 1, problem: /was restarted/ },
  },
  'a new process is not frozen': {
    ...{ meanwhile: 'starting', answers: [403], state: 'starting', asked: 1, problem: /has ended/ },
  },
}
for (const [name, { meanwhile, answers, state, asked, problem }] of Object.entries(rows)) {
  test(`freeze: ${name}`, async () => {
    const view = { name: 'a', instance: 'a', serverID: 'a', release: '', pid: 1, url: '', since: '' }
    const servers = [{ ...view, state: 'ready' } as const]
    const board = new FleetBoard(world.clock, {
      ...{ servers, releases: [], roll: null, load: null, scenes: [], resources: [] },
    })
    const seen: ServerState[] = []
    const transport = async (): Promise<HttpResponse> => {
      await Promise.resolve()
      const status = answers[seen.length] ?? 500
      seen.push(board.server('a').state)
      if (meanwhile !== undefined) board.changeServer('a', { state: meanwhile })
      return { status, headers: {}, body: utf8.encode('{"metadata":{}}') }
    }
    const own = Object.assign(() => new Promise<never>(() => {}), { close: () => {} })
    const options = { name: 'a', url: '', logFile: '', transport: own, argsOf: () => [] }
    const server = new FleetServer(options, board, { world, signal } as unknown as CliContext)
    const others = [{ transport: transport as unknown as FleetServer['transport'] }]
    const freezing = freezeBetweenCommits(server, others, world, signal)
    assert.equal(board.server('a').state, 'freezing', 'before anything else can happen')
    if (problem) await assert.rejects(freezing, problem)
    else await freezing
    assert.equal(board.server('a').state, state)
    assert.equal(seen.length, asked)
  })
}
