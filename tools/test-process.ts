import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './repository.ts'
import { readReport, type TestReport } from './test-report.ts'

export interface TestProcess {
  /** Relative to the root. */
  readonly files: readonly string[]
  /** Where its reporter writes; not there yet. */
  readonly report: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** More than our own. */
  readonly environment?: NodeJS.ProcessEnv
}

export interface TestProcessResult extends TestReport {
  /** What it printed. */
  readonly output: string
  readonly wallMs: number
}

const KEPT_OUTPUT = 200_000
const COMPILED = join(root, '.strata', 'compiled')
const REPORTER = pathToFileURL(join(import.meta.dirname, 'test-reporter.mjs')).href
const TOGETHER = join(import.meta.dirname, 'load-together.mjs')

/**
 * Runs a test file, or several together, in a process of its own.
 *
 * Not `node --test`: it waits for ever for a file whose test timed out but left a socket open. Here a process
 * has a group, which is ended as a whole when the process is done or its time is up, so that an etcd or
 * a server which a failing test left behind cannot disturb the tests after it.
 */
export function runTestProcess({
  files,
  report,
  timeoutMs,
  signal,
  environment,
}: TestProcess): Promise<TestProcessResult> {
  const startedAt = performance.now()
  const program = files.length === 1 ? files.map((path) => join(root, path)) : [TOGETHER, ...files]
  const args = [`--test-reporter=${REPORTER}`, `--test-reporter-destination=${report}`, ...program]
  const { promise, resolve } = Promise.withResolvers<TestProcessResult>()
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Set if we are being tested ourselves; the file would then report to our runner, not to us.
    // Every file, and every server that one starts, loads the same modules: what is compiled once is kept for the next.
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, ...environment, NODE_TEST_CONTEXT: undefined },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT)
    })
  }
  let stopped: string | undefined
  const stop = (because: string): void => {
    stopped = because
    endGroup(child.pid)
  }
  const timer = setTimeout(() => stop(`not done after ${timeoutMs / 1000} s`), timeoutMs)
  const interrupt = (): void => stop('interrupted')
  signal.addEventListener('abort', interrupt, { once: true })
  child.once('error', (error) => stop(error.message))
  child.once('exit', () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', interrupt)
    endGroup(child.pid)
  })
  // After the streams are closed too, and so all output is in; those who hold them open were ended above.
  child.once('close', (code, killedBy) => {
    const trouble =
      stopped ?? (code === 0 ? undefined : `the process ended with ${killedBy ?? `exit code ${code}`}`)
    const wallMs = performance.now() - startedAt
    resolve({ output, wallMs, ...readReport(report, trouble) })
  })
  return promise
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}
