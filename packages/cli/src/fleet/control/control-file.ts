import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Random } from '@strata/world'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'

/** How to reach the control of a running fleet: `<data-dir>/control.json`, readable by its user only. */
export interface ControlAccess {
  /** The path of the Unix socket. */
  readonly socket: string
  /** Sent as a bearer token. New for each run. */
  readonly secret: string
}

/** The kernel's limit for the path of a socket is 108 bytes on Linux and 104 on macOS. */
const longestSocketPath = 100

const fileOf = (dataDir: string): string => join(dataDir, 'control.json')

/** Chooses the socket beside the data, or, if that path is too long for a socket, in a new temporary directory. */
export async function createControlAccess(dataDir: string, random: Random): Promise<ControlAccess> {
  const beside = join(dataDir, 'control.sock')
  const isTooLong = Buffer.byteLength(beside) > longestSocketPath
  const socket = isTooLong ? join(await mkdtemp(join(tmpdir(), 'strata-control-')), 'control.sock') : beside
  // What an earlier run left. Two runs never share a data directory.
  await rm(socket, { force: true })
  return { socket, secret: Buffer.from(random.bytes(32)).toString('base64url') }
}

/** Only once the socket listens: a command that finds the file connects. */
export async function writeControlAccess(dataDir: string, access: ControlAccess): Promise<void> {
  const aside = `${fileOf(dataDir)}.new`
  await writeFile(aside, JSON.stringify(access), { mode: 0o600 })
  await chmod(aside, 0o600)
  await rename(aside, fileOf(dataDir))
}

export async function removeControlAccess(dataDir: string, { socket }: ControlAccess): Promise<void> {
  await rm(fileOf(dataDir), { force: true })
  await rm(socket, { force: true })
  if (dirname(socket) !== dataDir) await rm(dirname(socket), { recursive: true, force: true })
}

export async function readControlAccess(dataDir: string): Promise<ControlAccess> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch((error: unknown) => {
    throw noFleet(dataDir, error)
  })
  const access: Partial<ControlAccess> = JSON.parse(text)
  if (typeof access.socket !== 'string' || typeof access.secret !== 'string')
    throw new CliError(`${fileOf(dataDir)} is not a control file of a fleet`, exitCodes.notSeen)
  return { socket: access.socket, secret: access.secret }
}

export const noFleet = (dataDir: string, cause: unknown): CliError =>
  new CliError(
    `no fleet runs in ${dataDir}: start one with "strata up" (in a clone "npm start"), or name its --data-dir`,
    exitCodes.notSeen,
    { cause },
  )
