import { eventually } from '../eventually.ts'
import type { Viewer } from './viewer.ts'

/** The WebDriver commands that the tests use, with their HTTP routes; Marionette has them under the same names. */
export const ROUTES = {
  GetWindowHandle: 'GET /window',
  GetWindowHandles: 'GET /window/handles',
  SwitchToWindow: 'POST /window',
  CloseWindow: 'DELETE /window',
  NewWindow: 'POST /window/new',
  Navigate: 'POST /url',
  Refresh: 'POST /refresh',
  Back: 'POST /back',
  FindElement: 'POST /element',
  ExecuteScript: 'POST /execute/sync',
  PerformActions: 'POST /actions',
} as const

/** Sends a command to a browser. @returns its value. */
export type Send = (command: keyof typeof ROUTES, input?: Record<string, unknown>) => Promise<unknown>

const BUTTONS = { left: 0, middle: 1 }
const KEYS = { Tab: '\uE004', Enter: '\uE007' }

/** What a browser does by other means than WebDriver. */
type Own = Pick<Viewer, 'close' | 'allowInBar'> & Partial<Pick<Viewer, 'unload'>>

/** A viewer in the window that is current. */
export async function viewerOf(send: Send, own: Own): Promise<Viewer> {
  const home = await send('GetWindowHandle')
  const comeBack = () => send('SwitchToWindow', { handle: home })
  async function clickTimes(selector: string, button: number, times: number): Promise<void> {
    await comeBack()
    const origin = await send('FindElement', { using: 'css selector', value: selector })
    const actions = [
      { type: 'pointerMove', duration: 0, x: 0, y: 0, origin },
      ...Array.from({ length: times }, () => [
        { type: 'pointerDown', button },
        { type: 'pointerUp', button },
      ]).flat(),
    ]
    await send('PerformActions', {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
    })
  }
  async function leaveAndReturn(): Promise<void> {
    await comeBack()
    await send('Navigate', { url: 'about:blank' })
    await send('Back')
  }
  return {
    click: (selector, button = 'left') => clickTimes(selector, BUTTONS[button], 1),
    tap: (selector, times) => clickTimes(selector, BUTTONS.left, times),
    async press(key) {
      await comeBack()
      const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] }))
      await send('PerformActions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
    },
    async read<Value>(expression: string) {
      await comeBack()
      return (await send('ExecuteScript', { script: `return ${expression}`, args: [] })) as Value
    },
    async reload() {
      await comeBack()
      await send('Refresh')
    },
    leaveAndReturn,
    async unload() {
      await comeBack()
      await (own.unload ?? leaveAndReturn)()
    },
    async allowInBar() {
      await comeBack()
      return (await own.allowInBar?.()) ?? []
    },
    close: own.close,
  }
}

/** Waits for a port to be listened on. @returns the first answer of `connect`. */
export async function connected<Answer>(connect: () => Promise<Answer>, what: string): Promise<Answer> {
  let answer: Answer | undefined
  await eventually(
    async () => {
      answer = await connect().catch(() => undefined)
      return answer !== undefined
    },
    what,
    60_000,
  )
  return answer as Answer
}
