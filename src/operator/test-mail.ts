import { deliver } from '../mail/smtp.ts'
import { readEmail } from '../provider-events/shapes.ts'
import { operatorConfig } from './config.ts'
import { CannotOperate } from './declare.ts'

/**
 * Sends a mail and waits until the mail server has accepted it.
 * @throws CannotOperate with the server's answer.
 */
export async function sendTestMail(
  env: Record<string, string | undefined>,
  address: string,
): Promise<{ sent: string }> {
  const { smtpUrl, mailFrom, name, origin } = operatorConfig(env)
  if (smtpUrl === undefined)
    throw new CannotOperate('there is no mail server: set SMTP_URL, such as smtps://user:password@mail.example.com')
  const to = readEmail(address)
  if (to === null) throw new CannotOperate(`${address} is not an email address`)
  const text = `${name} (${origin}) can send mail. Nobody has to do anything.`
  try {
    await deliver({ smtpUrl, mailFrom }, { to, subject: `A test of ${name}`, text })
  } catch (error) {
    throw new CannotOperate(
      `the mail server did not take the mail: ${error instanceof Error ? error.message : String(error)} (see SMTP_URL and SERVICE_MAIL_FROM)`,
    )
  }
  return { sent: to }
}
