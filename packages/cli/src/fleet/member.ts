import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { sleep } from '@strata/world'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { readLastWords } from './last-words.ts'

export interface Member {
  readonly name: string
  readonly pid: number | undefined
  /**
   * Resolves if it never was ready and will not be: it ended three times in a row, or once with the exit code for what was
   * mistyped, which the next run would find in the same place.
   */
  readonly gaveUp: Promise<Failure>
  /** What it has said last since it was last started; undefined if nothing. Its log has the words of earlier runs as well. */
  lastWords(): string | undefined
  /** From now on it is started again however often it ends. */
  markReady(): void
  /** SIGTERM, and SIGKILL when the signal is aborted. Resolves when the process has ended. */
  stop(hurry: AbortSignal): Promise<void>
}

export interface Failure {
  readonly why: string
  /** What the fleet is to end with. */
  readonly exitCode: number
}

/** So often is something started that has never worked. What heals by itself, such as a port in use, heals in that time. */
const triesToStart = 3
const pauseMs = 1_000

/**
 * One process of the fleet. If it dies it is started again, after a moment: a fleet in which one can try
 * `kill -9` should behave like one that somebody looks after. But what never came up is no accident.
 */
export function startMember(
  context: CliContext,
  options: { readonly name: string; readonly args: readonly string[]; readonly logFile: string },
  onExit: (what: string) => void,
): Member {
  const { name, logFile } = options
  let child: ChildProcess | undefined
  let stopping = false
  let wasReady = false
  let tries = 0
  let logOffset = 0
  const ended = Promise.withResolvers<void>()
  const gaveUp = Promise.withResolvers<Failure>()

  const lastWords = (): string | undefined => readLastWords(logFile, logOffset)
  const run = (): void => {
    tries++
    const log = openSync(logFile, 'a')
    logOffset = fstatSync(log).size
    // A process group of its own, so that Ctrl-C in the terminal reaches only us and the order of farewells is ours. By the
    // channel it sees that we were killed, and goes by itself.
    child = spawn(context.execPath, [context.entry, ...options.args], {
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    })
    closeSync(log)
    // Whoever tries `kill -9` has to know the new one, and the welcome named the old one.
    if (tries > 1 && child.pid !== undefined) onExit(`${name} was started again (pid ${child.pid})`)
    once(child, 'exit').then(
      ([code, signal]) => onEnd(code === null ? `was ended by ${signal}` : `exited with code ${code}`, code),
      (error: unknown) => onEnd(`could not be started: ${String(error)}`),
    )
  }
  const onEnd = (what: string, code?: number | null): void => {
    if (stopping) {
      ended.resolve()
      return
    }
    // One that has been ready is started again whatever it says: others serve, and a file can be mended meanwhile.
    const isMistyped = code === exitCodes.usage
    if (!wasReady && (isMistyped || tries >= triesToStart)) {
      ended.resolve()
      const why = lastWords() ?? what
      gaveUp.resolve({ why, exitCode: isMistyped ? exitCodes.usage : 1 })
      return
    }
    onExit(`${name} ${what}; starting it again (log: ${logFile})`)
    sleep(context.world.clock, pauseMs, context.signal).then(
      () => (stopping ? ended.resolve() : run()),
      () => ended.resolve(),
    )
  }
  run()
  return {
    name,
    gaveUp: gaveUp.promise,
    get pid() {
      return child?.pid
    },
    lastWords,
    markReady: () => {
      wasReady = true
    },
    stop: async (hurry) => {
      stopping = true
      if (!child || child.exitCode !== null || child.signalCode !== null) ended.resolve()
      const kill = (): void => {
        child?.kill('SIGKILL')
      }
      child?.kill('SIGTERM')
      if (hurry.aborted) kill()
      hurry.addEventListener('abort', kill, { once: true })
      await ended.promise
      hurry.removeEventListener('abort', kill)
    },
  }
}
