/** One request of a test: it resolves with the status and the body. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>
export interface Answer {
  readonly status: number
  readonly text: string
}

/** What a tester of controllers starts. */
export interface TestCluster {
  readonly ask: Ask
  /** Called before each test: where its objects go. */
  enter(index: number): Promise<string>
  /** Called after each test: takes back what it wrote. */
  leave(namespace: string): Promise<void>
}

const objects = 5

/**
 * `count` tests, one after another, as those of an operator are: each creates a few objects, lists, changes and deletes some, and
 * sees one refused. Only the API server works; the requests are the same for all.
 */
export async function runSuite({ ask, enter, leave }: TestCluster, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const namespace = await enter(index)
    await runTest(namespace, ask)
    await leave(namespace)
  }
}

async function runTest(namespace: string, ask: Ask): Promise<void> {
  const lamps = `/apis/light.example.dev/v1/namespaces/${namespace}/lamps`
  const settings = `/api/v1/namespaces/${namespace}/configmaps`
  await expectStatus(201, ask, 'POST', settings, configMap)
  for (let index = 0; index < objects; index++)
    await expectStatus(201, ask, 'POST', lamps, lamp(`lamp-${index}`, 80))
  const { text } = await expectStatus(200, ask, 'GET', lamps)
  const { length } = (JSON.parse(text) as { items: unknown[] }).items
  if (length !== objects) throw new Error(`a test sees ${length} lamps and created ${objects}`)
  await expectStatus(200, ask, 'PUT', `${settings}/settings`, { ...configMap, data: { colour: 'green' } })
  await expectStatus(422, ask, 'POST', lamps, lamp('too-bright', 101))
  await expectStatus(200, ask, 'DELETE', `${lamps}/lamp-0`)
  await expectStatus(404, ask, 'GET', `${lamps}/lamp-0`)
}

export async function expectStatus(
  wanted: number,
  ask: Ask,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await ask(method, path, body)
  if (answer.status !== wanted)
    throw new Error(`${method} ${path} was answered ${answer.status}, not ${wanted}: ${answer.text}`)
  return answer
}

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { colour: 'red' },
}

const lamp = (name: string, brightness: number) => ({
  apiVersion: 'light.example.dev/v1',
  kind: 'Lamp',
  metadata: { name },
  spec: { colour: 'red', brightness },
})

/** For servers without a reset: each test has a namespace of its own, and no test waits for its end. */
export function namespacePerTest(ask: Ask): TestCluster {
  return {
    ask,
    enter: async (index) => {
      const name = `test-${index}`
      await expectStatus(201, ask, 'POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      })
      return name
    },
    leave: async (name) => {
      await expectStatus(200, ask, 'DELETE', `/api/v1/namespaces/${name}`)
    },
  }
}
