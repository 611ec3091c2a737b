import { auth, Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  type OAuthClientProvider as LegacyProvider,
  auth as legacyAuth,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** What an agent keeps between starts, as the official clients' `authProvider`. Serves both lines. */
export class Keeper implements OAuthClientProvider, LegacyProvider {
  #client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  #verifier = ''
  kept: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  /** Where it would have the browser go. */
  asked: URL | undefined

  constructor(
    readonly name: string,
    readonly redirectUrl: string,
    /** The address of a document that describes it, if it has one. */
    readonly clientMetadataUrl?: string,
  ) {}

  get clientMetadata() {
    return { client_name: this.name, redirect_uris: [this.redirectUrl] }
  }
  state = () => 'state-of-the-agent'
  clientInformation = () => this.#client as never
  saveClientInformation(client: never) {
    this.#client = client
  }
  tokens = () => this.kept as never
  saveTokens(tokens: never) {
    this.kept = tokens
  }
  invalidateCredentials() {
    this.kept = undefined
  }
  redirectToAuthorization(url: URL) {
    this.asked = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

/** An agent of one line of the SDK. */
export interface OAuthAgent {
  /** Connects. @returns the names of the tools. */
  connect(): Promise<string[]>
  /** Hands over what the browser brought back. */
  finish(back: URL): Promise<void>
  /** Renews the tokens now. */
  renew(): Promise<unknown>
}

const IDENTITY = { name: 'openall-tests', version: '1' }

/** SDK 1.x. */
export function legacyOAuthAgent(url: string, keeper: Keeper): OAuthAgent {
  const newTransport = () => new LegacyTransport(new URL(url), { authProvider: keeper })
  return {
    async connect() {
      const client = new LegacyClient(IDENTITY)
      await client.connect(newTransport() as Parameters<typeof client.connect>[0])
      const { tools } = await client.listTools()
      await client.close()
      return tools.map(({ name }) => name)
    },
    finish: ({ searchParams }) => newTransport().finishAuth(searchParams.get('code') ?? ''),
    renew: () => legacyAuth(keeper, { serverUrl: url }),
  }
}

/** SDK 2.x. */
export function modernOAuthAgent(url: string, keeper: Keeper): OAuthAgent {
  const newTransport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: keeper })
  return {
    async connect() {
      const client = new Client(IDENTITY)
      await client.connect(newTransport())
      const { tools } = await client.listTools()
      await client.close()
      return tools.map(({ name }) => name)
    },
    finish: ({ searchParams }) => newTransport().finishAuth(searchParams),
    renew: () => auth(keeper, { serverUrl: url }),
  }
}
