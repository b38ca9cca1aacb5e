import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, unauthorized } from '@strata/api'
import { type HttpResponse, readAll } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type Handler, type RequestContext, YamlReader } from '../handlers/index.ts'
import { audit, beginAudit } from './audit.ts'
import { chain } from './filter.ts'

const world = new Simulation('audit').process('a')
const whole = {
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
  omitManagedFields: false,
}

/** The stages that a request is written down in, with the code and message of each. */
async function stagesOf(
  handler: Handler,
  signal = new AbortController().signal,
  verb = 'get',
): Promise<string[]> {
  const lines: string[] = []
  const options = {
    policy: { rules: [{ ...whole, level: 'RequestResponse' as const }] },
    sink: { write: (line: string) => void lines.push(line), written: 0, dropped: 0 },
    toApiError: (error: unknown) => (error instanceof ApiError ? error : undefined),
  }
  const target = {
    group: '',
    versionName: 'v1',
    namespace: '',
    resource: 'things',
    subresource: '',
    name: '',
  }
  const context: RequestContext = {
    request: { method: 'GET', target: '/api/v1/things', headers: {}, signal },
    signal,
    info: { path: '/api/v1/things', query: new URLSearchParams(), verb, target },
    user: { name: 'ann', groups: [] },
    resource: undefined,
    auditId: 'id',
    warnings: [],
    yaml: new YamlReader(world.clock),
  }
  try {
    const { body } = await chain([beginAudit(options, world), audit(options)], handler)(context)
    await readAll(body)
  } catch {
    // What is thrown is answered further out; here it matters what was written down.
  }
  return lines.map((line) => {
    const { stage, responseStatus = {}, responseObject, annotations = {} } = JSON.parse(line)
    const { code = '', message = '' } = responseStatus
    const shown = responseObject === undefined ? '' : ` ${JSON.stringify(responseObject)}`
    const cut = annotations['audit.k8s.io/truncated'] ? ' truncated' : ''
    return `${stage} ${code} ${message}`.trim() + shown + cut
  })
}

const json = (body: HttpResponse['body']): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
})

test('audit: a bug of ours has a stage of its own', async () => {
  const stages = await stagesOf(async () => {
    throw new TypeError('x is not a function')
  })
  assert.deepEqual(stages, ['RequestReceived', "Panic 500 APIServer panic'd: x is not a function"])
})

test('audit: a client that goes away is no bug', async () => {
  const gone = new AbortController()
  const stages = await stagesOf(async () => {
    gone.abort(new Error('the client has gone away'))
    throw gone.signal.reason
  }, gone.signal)
  assert.deepEqual(stages, ['RequestReceived', 'ResponseComplete 200 Connection closed early'])
})

test('audit: an answer that comes in pieces is complete with the last one', async () => {
  const stages = await stagesOf(async () =>
    json(
      (async function* () {
        yield Buffer.from('{"items":')
        yield Buffer.from('[1]}\n')
      })(),
    ),
  )
  assert.deepEqual(stages, ['RequestReceived', 'ResponseComplete 200 {"items":[1]}'])
})

test('audit: half an answer is not shown as one', async () => {
  const stages = await stagesOf(async () =>
    json(
      // biome-ignore lint/correctness/useYield: it breaks before it has anything to say.
      (async function* () {
        throw new Error('broken')
      })(),
    ),
  )
  assert.deepEqual(stages, ['RequestReceived', 'ResponseComplete 200 truncated'])
})

test('audit: an answer that is too long is left out, and that is said', async () => {
  const long = Buffer.from(`"${'x'.repeat(11 * 1024 * 1024)}"`)
  assert.deepEqual(await stagesOf(async () => json(long)), [
    'RequestReceived',
    'ResponseComplete 200 truncated',
  ])
})

test('audit: a watch that is refused has begun and ended', async () => {
  const refuse: Handler = async () => {
    throw unauthorized()
  }
  const stages = await stagesOf(refuse, undefined, 'watch')
  assert.deepEqual(
    stages.map((stage) => stage.split(' {')[0]),
    ['RequestReceived', 'ResponseStarted 401 Unauthorized', 'ResponseComplete 401 Unauthorized'],
  )
})
