CREATE TABLE `acting` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`user_id` text,
	`key_id` integer,
	`changes` text,
	CONSTRAINT "acting_one" CHECK("acting"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`public_id` text NOT NULL,
	`owner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`type` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_user_id` text,
	`actor_key_id` integer,
	`bundle_id` integer,
	`target` text,
	`version_number` integer,
	`changes` text,
	`nth` integer NOT NULL,
	`at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	CONSTRAINT "events_actor_type" CHECK("events"."actor_type" IN ('user', 'key', 'app', 'provider', 'service'))
);
--> statement-breakpoint
CREATE INDEX `events_kind` ON `events` (`owner_id`,`kind`);
--> statement-breakpoint
CREATE INDEX `events_actor` ON `events` (`owner_id`,`actor_user_id`) WHERE "events"."actor_user_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `events_target` ON `events` (`owner_id`,`target`) WHERE "events"."target" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `events_bundle` ON `events` (`bundle_id`) WHERE "events"."bundle_id" IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `events_expires` ON `events` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `gone_owners` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `gone_owners_at` ON `gone_owners` (`at`);
--> statement-breakpoint
ALTER TABLE `outbox` ADD `event_id` integer;
--> statement-breakpoint
-- == The log: what happens is inserted into the view happened, by triggers, so that no way of changing something can miss it.
-- It names the owner by owner_id, user_id or organization_id; self is who must have done it, if only one person can have. ==
-- Webhooks read it too. It replaces bundle_events, which takes its own trigger along.
DROP TRIGGER bundle_is_created;
--> statement-breakpoint
DROP TRIGGER bundle_is_updated;
--> statement-breakpoint
DROP TRIGGER bundle_is_deleted;
--> statement-breakpoint
DROP TRIGGER bundle_is_claimed;
--> statement-breakpoint
DROP TRIGGER bundle_is_transferred;
--> statement-breakpoint
DROP TRIGGER proposal_is_opened;
--> statement-breakpoint
DROP TRIGGER proposal_is_decided;
--> statement-breakpoint
DROP VIEW bundle_events;
--> statement-breakpoint
CREATE VIEW happened AS SELECT NULL AS owner_id, NULL AS user_id, NULL AS organization_id, NULL AS type, NULL AS bundle_id, NULL AS target,
	NULL AS version_number, NULL AS changes, NULL AS at, NULL AS self WHERE false;
--> statement-breakpoint
-- What is deleted with its owner is not logged: nobody could read it.
CREATE TRIGGER it_is_logged INSTEAD OF INSERT ON happened
BEGIN
	INSERT INTO owners (user_id) SELECT id FROM user WHERE id = new.user_id AND NOT EXISTS (SELECT 1 FROM owners WHERE user_id = new.user_id);
	INSERT INTO owners (organization_id) SELECT id FROM organization
		WHERE id = new.organization_id AND NOT EXISTS (SELECT 1 FROM owners WHERE organization_id = new.organization_id);
	INSERT INTO events (public_id, owner_id, kind, type, actor_type, actor_user_id, actor_key_id, bundle_id, target, version_number, changes,
			nth, at, expires_at)
		SELECT 'evt_' || lower(hex(randomblob(12))), owners.id, substr(new.type, 1, instr(new.type, '.') - 1), new.type,
			CASE WHEN new.self IS NOT NULL AND acting.type IS NOT 'provider' THEN 'user' ELSE coalesce(acting.type, 'service') END,
			CASE WHEN new.self IS NOT NULL AND acting.type IS NOT 'provider' THEN new.self ELSE acting.user_id END,
			CASE WHEN new.self IS NULL THEN acting.key_id END,
			new.bundle_id, new.target, new.version_number, new.changes,
			1 + coalesce((SELECT nth FROM events WHERE owner_id = owners.id AND kind = substr(new.type, 1, instr(new.type, '.') - 1)
				ORDER BY id DESC LIMIT 1), 0),
			coalesce(new.at, CAST(unixepoch('subsec') * 1000 AS INTEGER)),
			coalesce(new.at, CAST(unixepoch('subsec') * 1000 AS INTEGER)) + CASE WHEN owners.user_id IS NULL THEN 400 ELSE 90 END * 86400000
		FROM owners LEFT JOIN acting ON acting.id = 1
		WHERE owners.id = coalesce(new.owner_id, (SELECT id FROM owners WHERE user_id = new.user_id),
			(SELECT id FROM owners WHERE organization_id = new.organization_id));
END;
--> statement-breakpoint
-- Two for each that is added, so that there is never much to delete at once after a plan has ended.
CREATE TRIGGER oldest_events_go AFTER INSERT ON events WHEN new.nth > 2000
BEGIN
	DELETE FROM events WHERE id IN (SELECT id FROM events WHERE owner_id = new.owner_id AND kind = new.kind ORDER BY id LIMIT 2)
		AND nth <= new.nth - (SELECT CASE plan WHEN 'pro' THEN 10000 ELSE 2000 END FROM owners WHERE id = new.owner_id);
END;
--> statement-breakpoint
-- Due at once, unless an earlier event of the bundle is still to be sent.
CREATE TRIGGER event_goes_out AFTER INSERT ON events WHEN new.kind IN ('bundle', 'proposal')
BEGIN
	INSERT INTO outbox (webhook_id, bundle_id, proposal_id, message_id, event, version_number, at, due_at, event_id)
	SELECT id, new.bundle_id, new.target, 'msg_' || lower(hex(randomblob(16))), new.type, new.version_number, new.at,
		CASE WHEN NOT EXISTS (SELECT 1 FROM outbox WHERE webhook_id = webhooks.id AND bundle_id = new.bundle_id AND sent_at IS NULL) THEN new.at END,
		new.id
	FROM webhooks
	WHERE owner_id = new.owner_id AND disabled_at IS NULL AND EXISTS (SELECT 1 FROM json_each(webhooks.events) WHERE value = new.type);
END;
--> statement-breakpoint
CREATE TRIGGER owner_is_gone AFTER DELETE ON owners WHEN EXISTS (SELECT 1 FROM events WHERE owner_id = old.id)
BEGIN
	INSERT OR IGNORE INTO gone_owners (id, at) VALUES (old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
-- In the log of a former owner nothing is left of a bundle that is erased. Its last owner's go with that owner, or the sweep was there.
CREATE TRIGGER events_outlive_bundle AFTER DELETE ON bundles
BEGIN
	UPDATE events SET bundle_id = NULL, changes = NULL WHERE bundle_id = old.id AND owner_id IS NOT old.owner_id;
END;
--> statement-breakpoint
-- == Of bundles and proposals ==
CREATE TRIGGER bundle_is_created AFTER INSERT ON bundles WHEN new.owner_id IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number, at) VALUES (new.owner_id, 'bundle.created', new.id, new.version_number, new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_updated AFTER UPDATE OF version_number ON bundles WHEN new.version_number <> old.version_number
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number, changes, at)
		VALUES (new.owner_id, 'bundle.updated', new.id, new.version_number, (SELECT changes FROM acting), new.updated_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_deleted AFTER UPDATE OF deleted_at ON bundles WHEN (new.deleted_at IS NULL) <> (old.deleted_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number, at)
		VALUES (new.owner_id, CASE WHEN new.deleted_at IS NULL THEN 'bundle.restored' ELSE 'bundle.deleted' END, new.id, new.version_number, new.deleted_at);
END;
--> statement-breakpoint
CREATE TRIGGER bundle_is_claimed AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NULL AND new.owner_id IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number) VALUES (new.owner_id, 'bundle.claimed', new.id, new.version_number);
END;
--> statement-breakpoint
-- Both owners are told whom it moved to, and keep being told the same when it moves on.
CREATE TRIGGER bundle_is_transferred AFTER UPDATE OF owner_id ON bundles WHEN old.owner_id IS NOT NULL AND new.owner_id <> old.owner_id
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, version_number) VALUES (old.owner_id, 'bundle.transferred', new.id, new.version_number);
	INSERT INTO happened (owner_id, type, bundle_id, version_number) VALUES (new.owner_id, 'bundle.transferred', new.id, new.version_number);
	UPDATE outbox SET receiver_id = new.owner_id WHERE bundle_id = new.id AND event = 'bundle.transferred' AND receiver_id IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER proposal_is_opened AFTER INSERT ON proposals
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, target, at) VALUES (new.owner_id, 'proposal.opened', new.bundle_id, new.id, new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER proposal_is_decided AFTER UPDATE OF state ON proposals WHEN old.state = 'open' AND new.state <> 'open'
BEGIN
	INSERT INTO happened (owner_id, type, bundle_id, target, at)
		VALUES (new.owner_id, 'proposal.' || new.state, new.bundle_id, new.id, new.decided_at);
END;
--> statement-breakpoint
-- == Of keys and apps ==
CREATE TRIGGER key_is_created AFTER INSERT ON api_keys
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'key.created', new.id,
		json_array(json_object('field', 'name', 'to', new.name), json_object('field', 'scopes', 'to', json(new.scopes))), new.created_at);
END;
--> statement-breakpoint
-- The key of an app is no key that somebody made, and the app has it only once it has collected it.
CREATE TRIGGER key_is_of_app AFTER INSERT ON app_grants
BEGIN
	DELETE FROM events WHERE owner_id = (SELECT owner_id FROM api_keys WHERE id = new.key_id) AND target = new.key_id AND type = 'key.created';
END;
--> statement-breakpoint
CREATE TRIGGER app_is_connected AFTER UPDATE OF code_used_at ON app_grants WHEN old.code_used_at IS NULL AND new.code_used_at IS NOT NULL
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at, self) SELECT owner_id, 'app.connected', id,
		json_array(json_object('field', 'name', 'to', name), json_object('field', 'scopes', 'to', json(new.scopes))), new.code_used_at, minted_by
		FROM api_keys WHERE id = new.key_id;
END;
--> statement-breakpoint
CREATE TRIGGER key_is_revoked AFTER UPDATE OF revoked_at ON api_keys WHEN old.revoked_at IS NULL AND new.revoked_at IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM app_grants WHERE key_id = new.id AND code_used_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, target, at) VALUES (new.owner_id,
		CASE WHEN EXISTS (SELECT 1 FROM app_grants WHERE key_id = new.id) THEN 'app.disconnected' ELSE 'key.revoked' END, new.id, new.revoked_at);
END;
--> statement-breakpoint
-- == Of webhooks, whose addresses may be secret ==
CREATE TRIGGER webhook_is_created AFTER INSERT ON webhooks
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'webhook.created', new.id,
		json_array(json_object('field', 'url'), json_object('field', 'events', 'to', json(new.events))), new.created_at);
END;
--> statement-breakpoint
CREATE TRIGGER webhook_is_updated AFTER UPDATE OF url, events, disabled_at ON webhooks
	WHEN new.url <> old.url OR new.events <> old.events OR (new.disabled_at IS NULL) <> (old.disabled_at IS NULL)
BEGIN
	INSERT INTO happened (owner_id, type, target, changes) SELECT new.owner_id, 'webhook.updated', new.id, json_group_array(json(change)) FROM (
		SELECT json_object('field', 'url') AS change WHERE new.url <> old.url
		UNION ALL SELECT json_object('field', 'events', 'from', json(old.events), 'to', json(new.events)) WHERE new.events <> old.events
		UNION ALL SELECT json_object('field', 'enabled', 'from', json(CASE WHEN old.disabled_at IS NULL THEN 'true' ELSE 'false' END),
			'to', json(CASE WHEN new.disabled_at IS NULL THEN 'true' ELSE 'false' END)) WHERE (new.disabled_at IS NULL) <> (old.disabled_at IS NULL));
END;
--> statement-breakpoint
CREATE TRIGGER webhook_is_rotated AFTER UPDATE OF secret ON webhooks WHEN new.secret <> old.secret
BEGIN
	INSERT INTO happened (owner_id, type, target) VALUES (new.owner_id, 'webhook.rotated', new.id);
END;
--> statement-breakpoint
CREATE TRIGGER webhook_is_deleted AFTER DELETE ON webhooks
BEGIN
	INSERT INTO happened (owner_id, type, target) VALUES (old.owner_id, 'webhook.deleted', old.id);
END;
--> statement-breakpoint
-- == Of members and organisations ==
CREATE TRIGGER member_is_invited AFTER INSERT ON invitation
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.organization_id, 'member.invited', new.id, json_array(json_object('field', 'role', 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_is_invited_again AFTER UPDATE OF expires_at ON invitation WHEN new.expires_at > old.expires_at
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.organization_id, 'member.invited', new.id, json_array(json_object('field', 'role', 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_joins AFTER INSERT ON member
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.organization_id, 'member.joined', new.user_id, json_array(json_object('field', 'role', 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_changes_role AFTER UPDATE OF role ON member WHEN new.role <> old.role
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) VALUES (new.organization_id, 'member.role_changed', new.user_id,
		json_array(json_object('field', 'role', 'from', old.role, 'to', new.role)));
END;
--> statement-breakpoint
CREATE TRIGGER member_is_removed AFTER DELETE ON member
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) VALUES (old.organization_id,
		CASE WHEN EXISTS (SELECT 1 FROM user WHERE id = old.user_id) THEN 'member.removed' ELSE 'account.deleted' END,
		old.user_id, json_array(json_object('field', 'role', 'from', old.role)));
END;
--> statement-breakpoint
CREATE TRIGGER organization_is_created AFTER INSERT ON organization
BEGIN
	INSERT INTO happened (organization_id, type, target, changes)
		VALUES (new.id, 'organization.created', new.id, json_array(json_object('field', 'name', 'to', new.name)));
END;
--> statement-breakpoint
CREATE TRIGGER organization_is_updated AFTER UPDATE OF name, slug, logo, metadata ON organization
	WHEN new.name <> old.name OR new.slug <> old.slug OR new.logo IS NOT old.logo OR new.metadata IS NOT old.metadata
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) SELECT new.id, 'organization.updated', new.id, json_group_array(json(change)) FROM (
		SELECT json_object('field', 'name', 'from', old.name, 'to', new.name) AS change WHERE new.name <> old.name
		UNION ALL SELECT json_object('field', 'slug') WHERE new.slug <> old.slug
		UNION ALL SELECT json_object('field', 'logo') WHERE new.logo IS NOT old.logo
		UNION ALL SELECT json_object('field', 'metadata') WHERE new.metadata IS NOT old.metadata);
END;
--> statement-breakpoint
-- Its own log goes with it: its admins have this in theirs, and who deleted it, for better-auth deletes memberships first.
CREATE TRIGGER organization_is_deleted BEFORE DELETE ON organization
BEGIN
	INSERT INTO happened (user_id, type, target, changes)
		SELECT user_id, 'organization.deleted', old.id, json_array(json_object('field', 'name', 'from', old.name))
		FROM (SELECT user_id FROM member WHERE organization_id = old.id AND role = 'admin' UNION SELECT user_id FROM acting WHERE user_id IS NOT NULL);
END;
--> statement-breakpoint
-- == Of accounts ==
CREATE TRIGGER account_signs_in AFTER INSERT ON session
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.user_id, 'account.signed_in', new.user_id, new.user_id);
END;
--> statement-breakpoint
CREATE TRIGGER password_is_set AFTER INSERT ON account WHEN new.password IS NOT NULL
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.user_id, 'account.password_changed', new.user_id, new.user_id);
END;
--> statement-breakpoint
CREATE TRIGGER password_is_changed AFTER UPDATE OF password ON account WHEN new.password IS NOT old.password
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.user_id, 'account.password_changed', new.user_id, new.user_id);
END;
--> statement-breakpoint
CREATE TRIGGER email_is_changed AFTER UPDATE OF email ON user WHEN new.email <> old.email
BEGIN
	INSERT INTO happened (user_id, type, target, self) VALUES (new.id, 'account.email_changed', new.id, new.id);
END;
