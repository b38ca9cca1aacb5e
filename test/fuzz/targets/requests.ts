import { checkAnswer, checkStored } from '../requests/check-answer.ts'
import { readOperations } from '../requests/from-openapi.ts'
import { type FuzzRequest, FuzzServer } from '../requests/fuzz-server.ts'
import { generateRequest } from '../requests/generate-request.ts'
import { readerRights } from '../requests/rights.ts'
import type { FuzzTarget, Subject } from '../target.ts'
import { recordedSteps } from './recorded.ts'

/** Some CRDs of the recorded scenarios, so that there are custom resources to write. */
const definitions = (): readonly FuzzRequest[] =>
  recordedSteps()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/customresourcedefinitions'))
    .slice(0, 8)
    .map(({ path, body }) => ({
      ...{ method: 'POST', target: path, as: 'admin' },
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)).toString('latin1'),
    }))

/** On a server that is set up by more requests: the tests of the fuzzer give everyone all rights. */
export const requestsTarget = (setUp: readonly FuzzRequest[]): FuzzTarget => ({
  name: 'requests',
  about:
    'requests from our OpenAPI and from recorded clients: no bug, no write without rights, what is accepted is accepted again',
  share: 20,
  sequence: 100,
  open: async () => {
    let server = await FuzzServer.start()
    const operations = await readOperations(server)
    const crds = definitions()
    const subject: Subject<FuzzRequest & Record<string, unknown>> = {
      generate: (random) => ({ ...generateRequest(random, operations) }),
      reset: async () => {
        await server.stop()
        server = await FuzzServer.start()
        for (const each of [...readerRights, ...crds, ...setUp]) await server.send(each)
        await server.wait(6_000)
      },
      check: async (request) => {
        const answer = await server.send(request)
        checkAnswer(request, answer)
        if (answer.status >= 300) return 'refused'
        if (request.as === 'admin' && answer.status < 300) await checkStored(server, request, answer)
        return 'accepted'
      },
      close: () => server.stop(),
    }
    return subject as unknown as Subject
  },
})

export const requests = requestsTarget([])
