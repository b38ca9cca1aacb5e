import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** What is seen of one page while it is open. */
export interface OpenPage {
  readonly page: Page
  /** Console errors and warnings, uncaught exceptions, and requests that failed. A good page leaves this empty. */
  readonly problems: readonly string[]
  /** Addresses of other origins that the page asked for. A good page asks for none. */
  readonly external: readonly string[]
}

export interface PageOptions
  extends Pick<
    BrowserContextOptions,
    'viewport' | 'colorScheme' | 'reducedMotion' | 'timezoneId' | 'hasTouch' | 'clientCertificates'
  > {
  /** Pages of a server whose certificate authority only its clients know. */
  readonly ignoreHTTPSErrors?: boolean
}

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  // Nothing but this machine is within reach: a page that asks for more fails here as it would in a closed network.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/**
 * A real Chromium without windows, with an empty profile. Pages do not see one another: each has its own storage and
 * cache. Declare it with `await using`: then it also ends when the test fails.
 */
export class TestBrowser {
  readonly #home: string
  readonly #browser: Browser

  private constructor(home: string, browser: Browser) {
    this.#home = home
    this.#browser = browser
  }

  static async start(): Promise<TestBrowser> {
    const home = await mkdtemp(join(tmpdir(), 'strata-browser-'))
    try {
      // Its caches of fonts and certificates belong to the test too.
      const env = { ...process.env, HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home }
      return new TestBrowser(home, await chromium.launch({ executablePath: program(), args: FLAGS, env }))
    } catch (error) {
      await rm(home, { recursive: true, force: true })
      throw error
    }
  }

  /** Opens a blank page, so that all that its first address does is seen. */
  async open(options: PageOptions = {}): Promise<OpenPage> {
    const context = await this.#browser.newContext(options)
    const page = await context.newPage()
    return { page, ...observe(page) }
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await rm(this.#home, { recursive: true, force: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function program(): string {
  const path = process.env.STRATA_CHROMIUM
  if (path === undefined)
    throw new Error(
      'no browser: set STRATA_CHROMIUM, or run `node tools/setup/part.mjs chromium`, which prints it',
    )
  return path
}

function observe(page: Page): Omit<OpenPage, 'page'> {
  const problems: string[] = []
  const external: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // A page ends its own watches, and those of a page that is left end with it.
    if (reason !== 'net::ERR_ABORTED') problems.push(`request: ${request.url()} ${reason}`)
  })
  page.on('request', (request) => {
    const asked = URL.parse(request.url())
    const own = URL.parse(page.url())?.origin
    const isWithin = asked === null || !/^(?:https?|wss?):$/.test(asked.protocol)
    if (isWithin || request.isNavigationRequest() || asked.origin === own) return
    external.push(request.url())
  })
  page.on('websocket', (socket) => external.push(socket.url()))
  return { problems, external }
}
