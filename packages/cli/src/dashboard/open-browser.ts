import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The program that opens an address in the user's browser; undefined where there is no screen. */
export function decideOpener(
  platform: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (platform === 'darwin') return 'open'
  const { DISPLAY, WAYLAND_DISPLAY } = environment
  return platform === 'linux' && (DISPLAY || WAYLAND_DISPLAY) ? 'xdg-open' : undefined
}

export interface OpenedLink {
  /** Removes what was needed to open it. */
  dispose(): Promise<void>
}

/**
 * Opens a link in the browser. The arguments of a process can be read by every user of the machine, and the link signs in. So
 * the program is given a file that only this user can read, and that leads to the link.
 */
export async function openBrowser(opener: string, link: string): Promise<OpenedLink> {
  const home = await mkdtemp(join(tmpdir(), 'strata-dashboard-'))
  const file = join(home, 'sign-in.html')
  await writeFile(file, redirectTo(link), { mode: 0o600 })
  const child = spawn(opener, [pathToFileURL(file).href], { stdio: 'ignore', detached: true })
  // The terminal shows the link, too.
  child.on('error', () => {})
  child.unref()
  return { dispose: () => rm(home, { recursive: true, force: true }) }
}

const redirectTo = (link: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Strata</title>
<meta http-equiv="refresh" content="0; url=${link}"><p><a href="${link}">Open the dashboard</a>
`
