import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { nodeClock } from '@strata/world/node'
import { memoryBytes } from '../contestants/served-build.ts'
import { askByHttps, type Target } from './ask-by-https.ts'
import { startPair } from './kube-apiserver-pair.ts'
import { serveCrd } from './serve-crd.ts'
import { namespacePerTest, runSuite } from './test-suite.ts'

/** What a tester of controllers can start. */
export interface Environment {
  readonly name: string
  /** Starts it, runs the suite, and stops it. */
  run(): Promise<Sample>
}

export interface Sample {
  /** From the start of the process until the CRD is served. */
  readonly readyMs: number
  /** Of each further cluster in the same process. */
  readonly furtherMs?: readonly number[]
  readonly memoryBytes: number
  readonly suiteMs: number
}

export const crdFile: string = join(import.meta.dirname, '../../../examples/lamps/crd-v1.yaml')

/** Ready: the process has started, loaded its code, and has its first cluster. */
export const inProcess = (program: string, tests: number): Environment => ({
  name: '`startCluster`, in the test process',
  run: async () => {
    const startMs = nodeClock.monotonicMs()
    const child = spawn(process.execPath, [program, String(tests), crdFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const stop = killAtExit(() => child.kill('SIGKILL'))
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      // The first line comes when the first cluster is ready, the second at the end.
      await lines.next()
      const readyMs = nodeClock.monotonicMs() - startMs
      const { value = '' } = await lines.next()
      return { readyMs, ...(JSON.parse(value) as Omit<Sample, 'readyMs'>) }
    } finally {
      stop()
    }
  },
})

export const strataTestenv = (command: string, tests: number): Environment => ({
  name: '`strata testenv`',
  run: async () => {
    const startMs = nodeClock.monotonicMs()
    const child = spawn(process.execPath, [command, 'testenv', '--crds', crdFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const stop = killAtExit(() => child.kill('SIGTERM'))
    const ended = once(child, 'exit')
    try {
      const { value: line = '' } = await createInterface({ input: child.stdout })
        [Symbol.asyncIterator]()
        .next()
      const readyMs = nodeClock.monotonicMs() - startMs
      const suiteMs = await timeSuite(JSON.parse(line) as Target, tests)
      return { readyMs, suiteMs, memoryBytes: memoryBytes(child.pid ?? 0) }
    } finally {
      stop()
      await ended
    }
  },
})

/** As envtest starts it, CRD included. Memory is that of both processes. */
export const envtestPair = (assets: string, tests: number): Environment => ({
  name: 'kube-apiserver and etcd, as envtest starts them',
  run: async () => {
    const startMs = nodeClock.monotonicMs()
    const pair = await startPair(assets)
    try {
      await serveCrd(pair.target, crdFile)
      const readyMs = nodeClock.monotonicMs() - startMs
      const suiteMs = await timeSuite(pair.target, tests)
      const bytes = pair.pids.map(memoryBytes)
      return { readyMs, suiteMs, memoryBytes: bytes.reduce((sum, each) => sum + each, 0) }
    } finally {
      await pair.stop()
    }
  },
})

async function timeSuite(target: Target, tests: number): Promise<number> {
  const { ask, close } = askByHttps(target)
  const startMs = nodeClock.monotonicMs()
  await runSuite(namespacePerTest(ask), tests)
  close()
  return nodeClock.monotonicMs() - startMs
}

/** Calls `kill` when this process ends, or when the result is called. */
function killAtExit(kill: () => unknown): () => void {
  process.once('exit', kill)
  return () => {
    process.off('exit', kill)
    kill()
  }
}
