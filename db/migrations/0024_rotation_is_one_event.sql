-- A rotation is one event: the key in a rotated one's place, which names it by now, is not logged as created too.
DROP TRIGGER key_is_created;
--> statement-breakpoint
CREATE TRIGGER key_is_created AFTER INSERT ON api_keys
	WHEN NOT EXISTS (SELECT 1 FROM api_keys WHERE owner_id = new.owner_id AND replaced_by = new.id)
BEGIN
	INSERT INTO happened (owner_id, type, target, changes, at) VALUES (new.owner_id, 'key.created', new.id,
		json_array(json_object('field', 'name', 'to', new.name), json_object('field', 'scopes', 'to', json(new.scopes))), new.created_at);
END;
